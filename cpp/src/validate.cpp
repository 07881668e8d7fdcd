// The rules of a problem, each with its sentence. The mask's own are in mask.cpp.
#include <cmath>
#include <limits>

#include "checked.hpp"
#include "sentence.hpp"

namespace attention {

namespace {

Status check_count(std::string_view field, std::string_view axis, std::int64_t count,
                   std::int64_t least) {
    if (count >= least) return {};
    return error(Code::wrong_value, field,
                 "% must be a whole number of at least % (axis %), but is %",
                 {field, least, axis, count});
}

Status check_tensors(const Problem& problem) {
    const Shape& s = problem.shape;
    if (problem.layout == Layout::bhtd) {
        return check_sizes(
            {{"q", "[B, Hq, T, D]", {s.batch, s.query_heads, s.queries, s.head_dim}, problem.q},
             {"k", "[B, Hkv, S, D]", {s.batch, s.kv_heads, s.keys, s.head_dim}, problem.k},
             {"v", "[B, Hkv, S, Dv]", {s.batch, s.kv_heads, s.keys, s.value_dim}, problem.v}});
    }
    return check_sizes(
        {{"q", "[B, T, Hq, D]", {s.batch, s.queries, s.query_heads, s.head_dim}, problem.q},
         {"k", "[B, S, Hkv, D]", {s.batch, s.keys, s.kv_heads, s.head_dim}, problem.k},
         {"v", "[B, S, Hkv, Dv]", {s.batch, s.keys, s.kv_heads, s.value_dim}, problem.v}});
}

Status check_scale(const Problem& problem, Checked& into) {
    into.scale = scale_of(problem);
    if (!std::isfinite(into.scale)) {
        return wrong_value("scale", "a finite float32 number", text(problem.scale.value_or(0.0)));
    }
    into.softcap = static_cast<float>(problem.softcap);
    const bool vanished = into.softcap == 0.0F && problem.softcap != 0.0;
    if (!std::isfinite(into.softcap) || into.softcap < 0.0F || vanished) {
        return wrong_value("softcap", "a finite float32 number of at least 0 (0 switches it off)",
                           text(problem.softcap));
    }
    return {};
}

}  // namespace

float scale_of(const Problem& problem) {
    const auto dim = static_cast<double>(problem.shape.head_dim);
    return static_cast<float>(problem.scale.value_or(1.0 / std::sqrt(dim)));
}

std::int64_t saturating_product(std::initializer_list<std::int64_t> factors) {
    std::int64_t product = 1;
    bool too_large = false;
    for (const std::int64_t factor : factors) {
        if (factor == 0) return 0;
        if (product > std::numeric_limits<std::int64_t>::max() / factor) too_large = true;
        if (!too_large) product *= factor;
    }
    return too_large ? std::numeric_limits<std::int64_t>::max() : product;
}

Status check_shape(const Shape& shape) {
    const struct {
        std::string_view field;
        std::string_view axis;
        std::int64_t count;
        std::int64_t least;
    } counts[] = {
        {"batch", "B", shape.batch, 0},         {"queryHeads", "Hq", shape.query_heads, 1},
        {"kvHeads", "Hkv", shape.kv_heads, 1},  {"queries", "T", shape.queries, 0},
        {"keys", "S", shape.keys, 0},           {"headDim", "D", shape.head_dim, 1},
        {"valueDim", "Dv", shape.value_dim, 1},
    };
    for (const auto& c : counts) {
        if (Status status = check_count(c.field, c.axis, c.count, c.least); !status.ok()) {
            return status;
        }
    }
    if (shape.query_heads % shape.kv_heads != 0) {
        return error(Code::wrong_value, "kvHeads",
                     "queryHeads must be a multiple of kvHeads, so that each KV head serves as "
                     "many query heads, but % query heads do not divide among % KV heads",
                     {shape.query_heads, shape.kv_heads});
    }
    return {};
}

Status check_size(std::string_view field, std::string_view axes,
                  std::initializer_list<std::int64_t> sizes, std::int64_t size) {
    const std::int64_t needed = saturating_product(sizes);
    if (size == needed) return {};
    const std::span<const std::int64_t> expected(sizes.begin(), sizes.size());
    std::string message = sentence("% must be % = %, which is % values, but has %",
                                   {field, axes, expected, needed, size});

    // Most often a single axis is off. Name the shape that the values would be
    // if the last one were: a reader sees at once which number to correct.
    const std::int64_t last = expected.back();
    const std::int64_t rest = last > 0 ? needed / last : 0;
    if (rest > 0 && size > 0 && size % rest == 0) {
        std::vector<std::int64_t> got(expected.begin(), expected.end());
        got.back() = size / rest;
        message += sentence(", as many as %", {std::span<const std::int64_t>(got)});
    }
    return error(Code::wrong_shape, field, std::move(message));
}

Status check_sizes(std::initializer_list<TensorSize> tensors) {
    for (const TensorSize& tensor : tensors) {
        Status status = check_size(tensor.field, tensor.axes, tensor.sizes,
                                   static_cast<std::int64_t>(tensor.values.size()));
        if (!status.ok()) return status;
    }
    return {};
}

Status check(const Problem& problem, Checked& into) {
    const Shape& s = problem.shape;
    Checked checked;
    checked.shape = s;
    if (Status status = check_shape(s); !status.ok()) return status;
    if (Status status = check_tensors(problem); !status.ok()) return status;
    if (Status status = check_rules(problem, checked); !status.ok()) return status;
    checked.q = view_heads(problem.q.data(), problem.layout, s.query_heads, s.queries, s.head_dim);
    checked.k = view_heads(problem.k.data(), problem.layout, s.kv_heads, s.keys, s.head_dim);
    checked.v = view_heads(problem.v.data(), problem.layout, s.kv_heads, s.keys, s.value_dim);
    into = checked;
    return {};
}

Status check_rules(const Problem& problem, Checked& into) {
    if (Status status = check_scale(problem, into); !status.ok()) return status;
    return Mask::resolve(problem.shape, problem.mask, into.mask);
}

Status validate(const Problem& problem) {
    Checked checked;
    return check(problem, checked);
}

}  // namespace attention

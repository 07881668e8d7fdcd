#include "support/held_problem.hpp"

#include <limits>
#include <sstream>

#include "support/random.hpp"

namespace support {

using attention::Layout;
using attention::Problem;
using attention::Shape;

namespace {

std::span<const float> inside(const std::vector<float>& values, std::int64_t margin) {
    const auto skip = static_cast<std::size_t>(margin);
    return std::span<const float>(values).subspan(skip, values.size() - 2 * skip);
}

std::size_t q_size(const Shape& shape) {
    return static_cast<std::size_t>(shape.batch * shape.query_heads * shape.queries *
                                    shape.head_dim);
}

std::size_t kv_size(const Shape& shape, std::int64_t dim) {
    return static_cast<std::size_t>(shape.batch * shape.kv_heads * shape.keys * dim);
}

void print_dims(std::ostream& out, const std::vector<std::int64_t>& dims) {
    out << '[';
    for (std::size_t axis = 0; axis < dims.size(); ++axis) out << (axis ? "," : "") << dims[axis];
    out << ']';
}

void print_side(std::ostream& out, const std::optional<std::int64_t>& side) {
    if (side) {
        out << *side;
    } else {
        out << "open";
    }
}

}  // namespace

Problem HeldProblem::problem(attention::Kernel kernel) const {
    Problem problem;
    problem.shape = shape;
    problem.layout = layout;
    problem.q = inside(q, margin);
    problem.k = inside(k, margin);
    problem.v = inside(v, margin);
    problem.mask.causal = causal;
    problem.mask.window = window;
    if (query_positions) problem.mask.query_positions = *query_positions;
    if (key_positions) problem.mask.key_positions = *key_positions;
    if (allowed) problem.mask.allowed = {allowed->values, allowed->shape};
    if (bias) problem.mask.bias = {bias->values, bias->shape};
    problem.scale = scale;
    problem.softcap = softcap;
    problem.kernel = kernel;
    return problem;
}

HeldProblem zero_problem(const Shape& shape) {
    HeldProblem held;
    held.shape = shape;
    held.q.assign(q_size(shape), 0.0F);
    held.k.assign(kv_size(shape, shape.head_dim), 0.0F);
    held.v.assign(kv_size(shape, shape.value_dim), 0.0F);
    return held;
}

HeldProblem mean_problem(std::int64_t queries, const std::vector<float>& values) {
    HeldProblem held = zero_problem({.queries = queries,
                                     .keys = static_cast<std::int64_t>(values.size()),
                                     .head_dim = 1,
                                     .value_dim = 1});
    held.v = values;
    held.scale = 1.0;
    return held;
}

HeldProblem normal_problem(const Shape& shape, std::uint64_t seed) {
    HeldProblem held = zero_problem(shape);
    Random random(seed);
    for (float& value : held.q) value = random.normal();
    for (float& value : held.k) value = random.normal();
    for (float& value : held.v) value = random.normal();
    return held;
}

void add_margin(HeldProblem& held, std::int64_t margin) {
    const std::vector<float> spare(static_cast<std::size_t>(margin),
                                   std::numeric_limits<float>::quiet_NaN());
    for (std::vector<float>* values : {&held.q, &held.k, &held.v}) {
        values->insert(values->begin(), spare.begin(), spare.end());
        values->insert(values->end(), spare.begin(), spare.end());
    }
    held.margin += margin;
}

std::vector<float> change_layout(const std::vector<float>& values, Layout from, Layout to,
                                 std::int64_t batch, std::int64_t heads, std::int64_t rows,
                                 std::int64_t dim) {
    if (from == to) return values;
    std::vector<float> moved(values.size());
    for (std::int64_t b = 0; b < batch; ++b) {
        for (std::int64_t h = 0; h < heads; ++h) {
            for (std::int64_t t = 0; t < rows; ++t) {
                for (std::int64_t d = 0; d < dim; ++d) {
                    const auto head_first =
                        static_cast<std::size_t>(((b * heads + h) * rows + t) * dim + d);
                    const auto token_first =
                        static_cast<std::size_t>(((b * rows + t) * heads + h) * dim + d);
                    if (from == Layout::bhtd) {
                        moved[token_first] = values[head_first];
                    } else {
                        moved[head_first] = values[token_first];
                    }
                }
            }
        }
    }
    return moved;
}

HeldProblem in_layout(HeldProblem held, Layout layout) {
    const Shape& s = held.shape;
    held.q =
        change_layout(held.q, held.layout, layout, s.batch, s.query_heads, s.queries, s.head_dim);
    held.k = change_layout(held.k, held.layout, layout, s.batch, s.kv_heads, s.keys, s.head_dim);
    held.v = change_layout(held.v, held.layout, layout, s.batch, s.kv_heads, s.keys, s.value_dim);
    held.layout = layout;
    return held;
}

std::string describe(const Problem& problem) {
    const Shape& shape = problem.shape;
    std::ostringstream out;
    out << "B " << shape.batch << " Hq " << shape.query_heads << " Hkv " << shape.kv_heads << " T "
        << shape.queries << " S " << shape.keys << " D " << shape.head_dim << " Dv "
        << shape.value_dim << (problem.layout == Layout::bhtd ? ", bhtd" : ", bthd");
    out << (problem.mask.causal ? ", causal" : ", not causal");
    if (problem.mask.window) {
        out << ", window left ";
        print_side(out, problem.mask.window->left);
        out << " right ";
        print_side(out, problem.mask.window->right);
    }
    if (problem.mask.query_positions) {
        out << ", " << problem.mask.query_positions->size() << " query positions";
    }
    if (problem.mask.key_positions) {
        out << ", " << problem.mask.key_positions->size() << " key positions";
    }
    if (problem.mask.allowed) {
        out << ", allowed ";
        print_dims(out, problem.mask.allowed->shape);
    }
    if (problem.mask.bias) {
        out << ", bias ";
        print_dims(out, problem.mask.bias->shape);
    }
    if (problem.scale) out << ", scale " << *problem.scale;
    if (problem.softcap != 0.0) out << ", softcap " << problem.softcap;
    return out.str();
}

}  // namespace support

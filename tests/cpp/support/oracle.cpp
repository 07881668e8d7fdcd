#include "support/oracle.hpp"

#include <cmath>
#include <cstddef>
#include <limits>

namespace support::oracle {

using attention::Hidden;
using attention::Layout;
using attention::Problem;
using attention::Shape;

namespace {

/// Where element [b, h, t, d] of a tensor [B, heads, rows, dim] lies.
std::size_t element(Layout layout, std::int64_t heads, std::int64_t rows, std::int64_t dim,
                    std::int64_t b, std::int64_t h, std::int64_t t, std::int64_t d) {
    if (layout == Layout::bhtd) {
        return static_cast<std::size_t>(((b * heads + h) * rows + t) * dim + d);
    }
    return static_cast<std::size_t>(((b * rows + t) * heads + h) * dim + d);
}

/// The value that a mask holds for [b, h, t, s], by NumPy's rule: line the axes
/// up on the right, and an axis of length 1 serves every index.
template <class Value>
Value broadcast(const attention::Broadcast<Value>& mask, const Shape& shape, std::int64_t b,
                std::int64_t h, std::int64_t t, std::int64_t s) {
    const std::int64_t full[4] = {shape.batch, shape.query_heads, shape.queries, shape.keys};
    const std::int64_t index[4] = {b, h, t, s};
    std::int64_t dims[4] = {1, 1, 1, 1};
    const std::size_t rank = mask.shape.size();
    for (std::size_t axis = 0; axis < rank; ++axis) dims[4 - rank + axis] = mask.shape[axis];
    if (rank == 0) {
        const auto square = static_cast<std::size_t>(shape.queries * shape.keys);
        const std::size_t first = mask.values.size() == square ? 2 : 0;
        for (std::size_t axis = first; axis < 4; ++axis) dims[axis] = full[axis];
    }
    std::int64_t flat = 0;
    for (std::size_t axis = 0; axis < 4; ++axis) {
        flat = flat * dims[axis] + (dims[axis] == 1 ? 0 : index[axis]);
    }
    return mask.values[static_cast<std::size_t>(flat)];
}

/// A position out of [count] or [B, count] given ones, or else the default.
std::int64_t position(const std::optional<std::span<const std::int32_t>>& given, std::int64_t count,
                      std::int64_t b, std::int64_t index, std::int64_t otherwise) {
    if (!given) return otherwise;
    const bool one_for_all = static_cast<std::int64_t>(given->size()) == count;
    return (*given)[static_cast<std::size_t>(one_for_all ? index : b * count + index)];
}

/// Softmax over one row of masked scores, keys at -infinity left out.
template <class Real>
void softmax(std::span<const Real> masked, std::span<Real> weights, Real& row_max, Real& row_sum) {
    constexpr Real nothing = -std::numeric_limits<Real>::infinity();
    row_max = nothing;
    row_sum = 0;
    for (const Real score : masked) {
        if (std::isnan(score)) row_max = score;
        if (score > row_max) row_max = score;
    }
    for (std::size_t key = 0; key < masked.size(); ++key) {
        weights[key] = masked[key] == nothing ? Real{0} : std::exp(masked[key] - row_max);
        row_sum += weights[key];
    }
    for (std::size_t key = 0; key < masked.size(); ++key) {
        if (masked[key] != nothing) weights[key] /= row_sum;
    }
}

template <class Real>
std::vector<Real> widen(std::span<const float> values) {
    return std::vector<Real>(values.begin(), values.end());
}

/// y = x W^T, W [out, in].
template <class Real>
std::vector<Real> project(std::span<const Real> x, std::span<const float> w, std::int64_t rows,
                          std::int64_t in, std::int64_t out) {
    std::vector<Real> y;
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t o = 0; o < out; ++o) {
            Real sum = 0;
            for (std::int64_t i = 0; i < in; ++i) {
                sum += x[static_cast<std::size_t>(row * in + i)] *
                       static_cast<Real>(w[static_cast<std::size_t>(o * in + i)]);
            }
            y.push_back(sum);
        }
    }
    return y;
}

}  // namespace

Hidden hidden_by(const Problem& problem, std::int64_t batch, std::int64_t head, std::int64_t query,
                 std::int64_t key) {
    const Shape& shape = problem.shape;
    const attention::MaskRules& rules = problem.mask;
    const std::int64_t at = position(rules.query_positions, shape.queries, batch, query,
                                     shape.keys - shape.queries + query);
    const std::int64_t seen = position(rules.key_positions, shape.keys, batch, key, key);
    Hidden by = 0;
    if (rules.causal && seen > at) by |= attention::hidden::by_causal;
    if (rules.window && rules.window->left && at - seen > *rules.window->left) {
        by |= attention::hidden::by_window_left;
    }
    if (rules.window && rules.window->right && seen - at > *rules.window->right) {
        by |= attention::hidden::by_window_right;
    }
    if (rules.allowed && broadcast(*rules.allowed, shape, batch, head, query, key) == 0) {
        by |= attention::hidden::by_allowed;
    }
    if (rules.bias && broadcast(*rules.bias, shape, batch, head, query, key) ==
                          -std::numeric_limits<float>::infinity()) {
        by |= attention::hidden::by_bias;
    }
    return by;
}

template <class Real>
Stages<Real> evaluate(const Problem& problem, std::span<const Real> q, std::span<const Real> k,
                      std::span<const Real> v) {
    const Shape& shape = problem.shape;
    const std::int64_t keys = shape.keys;
    const Real scale = problem.scale ? static_cast<Real>(*problem.scale)
                                     : Real{1} / std::sqrt(static_cast<Real>(shape.head_dim));
    const Real cap = static_cast<Real>(problem.softcap);
    constexpr Real nothing = -std::numeric_limits<Real>::infinity();

    Stages<Real> stages;
    stages.output.assign(
        static_cast<std::size_t>(shape.batch * shape.query_heads * shape.queries * shape.value_dim),
        Real{0});
    std::vector<Real> weights(static_cast<std::size_t>(keys));

    for (std::int64_t b = 0; b < shape.batch; ++b) {
        for (std::int64_t h = 0; h < shape.query_heads; ++h) {
            const std::int64_t kv = h * shape.kv_heads / shape.query_heads;
            for (std::int64_t t = 0; t < shape.queries; ++t) {
                const std::size_t row = stages.masked.size();
                for (std::int64_t s = 0; s < keys; ++s) {
                    Real dot = 0;
                    for (std::int64_t d = 0; d < shape.head_dim; ++d) {
                        dot += q[element(problem.layout, shape.query_heads, shape.queries,
                                         shape.head_dim, b, h, t, d)] *
                               k[element(problem.layout, shape.kv_heads, keys, shape.head_dim, b,
                                         kv, s, d)];
                    }
                    const Real score = scale * dot;
                    const Real capped = cap > 0 ? cap * std::tanh(score / cap) : score;
                    Real masked = capped;
                    if (problem.mask.bias) {
                        masked +=
                            static_cast<Real>(broadcast(*problem.mask.bias, shape, b, h, t, s));
                    }
                    const Hidden by = hidden_by(problem, b, h, t, s);
                    if (by != 0) masked = nothing;
                    stages.dots.push_back(dot);
                    stages.scores.push_back(score);
                    stages.capped.push_back(capped);
                    stages.masked.push_back(masked);
                    stages.hidden_by.push_back(by);
                }
                const auto masked_row = std::span<const Real>(stages.masked).subspan(row);
                Real row_max = 0;
                Real row_sum = 0;
                softmax<Real>(masked_row, weights, row_max, row_sum);
                stages.row_max.push_back(row_max);
                stages.row_sum.push_back(row_sum);
                stages.weights.insert(stages.weights.end(), weights.begin(), weights.end());

                for (std::int64_t d = 0; d < shape.value_dim; ++d) {
                    Real sum = 0;
                    for (std::int64_t s = 0; s < keys; ++s) {
                        if (masked_row[static_cast<std::size_t>(s)] == nothing) continue;
                        sum += weights[static_cast<std::size_t>(s)] *
                               v[element(problem.layout, shape.kv_heads, keys, shape.value_dim, b,
                                         kv, s, d)];
                    }
                    stages.output[element(problem.layout, shape.query_heads, shape.queries,
                                          shape.value_dim, b, h, t, d)] = sum;
                }
            }
        }
    }
    return stages;
}

template <class Real>
Stages<Real> evaluate(const Problem& problem) {
    return evaluate<Real>(problem, widen<Real>(problem.q), widen<Real>(problem.k),
                          widen<Real>(problem.v));
}

template <class Real>
LayerStages<Real> evaluate_layer(const attention::Layer& layer) {
    Problem problem = layer.attention;
    problem.layout = Layout::bthd;  // [B, T, H * D] is what a projection gives
    const Shape& shape = problem.shape;
    const std::int64_t tokens = shape.batch * shape.queries;
    const std::int64_t sources = shape.batch * shape.keys;
    const std::vector<Real> x = widen<Real>(layer.x);
    const std::vector<Real> context = layer.context ? widen<Real>(*layer.context) : x;

    LayerStages<Real> stages;
    const std::int64_t in = layer.model_dim;
    stages.q = project<Real>(x, layer.wq, tokens, in, shape.query_heads * shape.head_dim);
    stages.k = project<Real>(context, layer.wk, sources, in, shape.kv_heads * shape.head_dim);
    stages.v = project<Real>(context, layer.wv, sources, in, shape.kv_heads * shape.value_dim);
    stages.attention = evaluate<Real>(problem, stages.q, stages.k, stages.v);
    stages.output = project<Real>(stages.attention.output, layer.wo, tokens,
                                  shape.query_heads * shape.value_dim, layer.output_dim);
    return stages;
}

template Stages<float> evaluate(const Problem&);
template Stages<double> evaluate(const Problem&);
template LayerStages<float> evaluate_layer(const attention::Layer&);
template LayerStages<double> evaluate_layer(const attention::Layer&);

}  // namespace support::oracle

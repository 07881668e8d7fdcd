#include "attention/heads.hpp"

#include "buffer.hpp"
#include "checked.hpp"

namespace attention {

namespace {

/// x, Wq, Wk, Wv -> q, k, v, all [B, tokens, features], and the attention
/// problem over them. Splitting into heads is the problem's layout: no copy.
struct Projected {
    Buffer<float> memory;
    std::span<float> q;
    std::span<float> k;
    std::span<float> v;
    Problem problem;
};

Status project_tokens(const Layer& layer, Projected& into) {
    if (Status status = validate(layer); !status.ok()) return status;
    const Shape& s = layer.attention.shape;
    const std::int64_t query_rows = s.batch * s.queries;
    const std::int64_t key_rows = s.batch * s.keys;
    const std::int64_t q_features = s.query_heads * s.head_dim;
    const std::int64_t k_features = s.kv_heads * s.head_dim;
    const std::int64_t v_features = s.kv_heads * s.value_dim;
    const std::int64_t q_size = query_rows * q_features;
    const std::int64_t k_size = key_rows * k_features;
    const std::int64_t v_size = key_rows * v_features;
    if (!into.memory.reserve(q_size + k_size + v_size)) {
        return out_of_memory("the projected queries, keys and values");
    }
    float* at = into.memory.data();
    into.q = {at, static_cast<std::size_t>(q_size)};
    into.k = {at + q_size, static_cast<std::size_t>(k_size)};
    into.v = {at + q_size + k_size, static_cast<std::size_t>(v_size)};

    const std::span<const float> context = layer.context.value_or(layer.x);
    project(layer.x, layer.wq, query_rows, layer.model_dim, q_features, into.q);
    project(context, layer.wk, key_rows, layer.model_dim, k_features, into.k);
    project(context, layer.wv, key_rows, layer.model_dim, v_features, into.v);

    into.problem = layer.attention;
    into.problem.layout = Layout::bthd;
    into.problem.q = into.q;
    into.problem.k = into.k;
    into.problem.v = into.v;
    return {};
}

void project_output(const Layer& layer, std::span<const float> heads, std::span<float> output) {
    const Shape& s = layer.attention.shape;
    project(heads, layer.wo, s.batch * s.queries, s.query_heads * s.value_dim, layer.output_dim,
            output);
}

}  // namespace

Status validate(const Layer& layer) {
    const Shape& s = layer.attention.shape;
    if (Status status = check_shape(s); !status.ok()) return status;
    if (layer.model_dim < 1) {
        return wrong_value("modelDim", "a whole number of at least 1 (axis M)", layer.model_dim);
    }
    if (layer.output_dim < 1) {
        return wrong_value("outputDim", "a whole number of at least 1 (axis N)", layer.output_dim);
    }
    const std::int64_t m = layer.model_dim;
    const std::int64_t q_features = saturating_product({s.query_heads, s.head_dim});
    const std::int64_t k_features = saturating_product({s.kv_heads, s.head_dim});
    const std::int64_t v_features = saturating_product({s.kv_heads, s.value_dim});
    const std::int64_t merged = saturating_product({s.query_heads, s.value_dim});
    Status status = check_sizes({{"x", "[B, T, M]", {s.batch, s.queries, m}, layer.x}});
    if (status.ok() && layer.context) {
        status = check_sizes({{"context", "[B, S, M]", {s.batch, s.keys, m}, *layer.context}});
    }
    if (status.ok() && !layer.context && s.keys != s.queries) {
        status = wrong_value("keys", "as many as queries unless context is given", s.keys);
    }
    if (status.ok()) {
        status = check_sizes({{"wq", "[Hq * D, M]", {q_features, m}, layer.wq},
                              {"wk", "[Hkv * D, M]", {k_features, m}, layer.wk},
                              {"wv", "[Hkv * Dv, M]", {v_features, m}, layer.wv},
                              {"wo", "[N, Hq * Dv]", {layer.output_dim, merged}, layer.wo}});
    }
    Checked checked;
    if (status.ok()) status = check_rules(layer.attention, checked);
    return status;
}

std::int64_t output_size(const Layer& layer) {
    const Shape& s = layer.attention.shape;
    return saturating_product({s.batch, s.queries, layer.output_dim});
}

void project(std::span<const float> x, std::span<const float> w, std::int64_t rows, std::int64_t in,
             std::int64_t out, std::span<float> y) {
    // y[r, o] = sum_i x[r, i] * w[o, i]
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t o = 0; o < out; ++o) {
            float sum = 0.0F;
            for (std::int64_t i = 0; i < in; ++i) sum += x[r * in + i] * w[o * in + i];
            y[r * out + o] = sum;
        }
    }
}

HeadView<const float> split_heads(std::span<const float> features, std::int64_t tokens,
                                  std::int64_t heads, std::int64_t dim) {
    return view_heads(features.data(), Layout::bthd, heads, tokens, dim);
}

MergedHeads merge_heads(HeadView<const float> heads, std::int64_t dim) { return {heads, dim}; }

Status trace_layer(const Layer& layer, LayerTrace& into) {
    Projected projected;
    if (Status status = project_tokens(layer, projected); !status.ok()) return status;
    for (const std::span<float> features : {projected.q, projected.k, projected.v}) {
        if (Status status =
                check_trace_size("projected features", static_cast<std::int64_t>(features.size()));
            !status.ok()) {
            return status;
        }
    }
    if (Status status = check_trace_size("output features (B * T * N)", output_size(layer));
        !status.ok()) {
        return status;
    }
    if (Status status = trace(projected.problem, into.attention); !status.ok()) return status;
    into.q.assign(projected.q.begin(), projected.q.end());
    into.k.assign(projected.k.begin(), projected.k.end());
    into.v.assign(projected.v.begin(), projected.v.end());
    into.output.assign(static_cast<std::size_t>(output_size(layer)), 0.0F);
    project_output(layer, into.attention.output, into.output);
    return {};
}

Status attend_layer(const Layer& layer, std::span<float> output) {
    Projected projected;
    if (Status status = project_tokens(layer, projected); !status.ok()) return status;
    if (Status status = check_size("output", "B * T * N", {output_size(layer)},
                                   static_cast<std::int64_t>(output.size()));
        !status.ok()) {
        return status;
    }
    Buffer<float> heads;
    const std::int64_t heads_size = output_size(layer.attention.shape);
    if (!heads.reserve(heads_size)) return out_of_memory("the heads' outputs");
    const std::span<float> merged(heads.data(), static_cast<std::size_t>(heads_size));
    if (Status status = attend(projected.problem, merged); !status.ok()) return status;
    project_output(layer, merged, output);
    return {};
}

}  // namespace attention

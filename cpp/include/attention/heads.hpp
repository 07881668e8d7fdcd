// The layer around attention: project tokens to queries, keys and values, split
// the features into heads, attend, merge the heads, project back (Vaswani et al.
// 2017, section 3.2.2; grouped KV heads: Ainslie et al. 2023).
//
//     x [B, T, M] -> q [B, T, Hq * D]   = x Wq^T    Wq [Hq * D, M]
//                    k [B, T, Hkv * D]  = x Wk^T    Wk [Hkv * D, M]
//                    v [B, T, Hkv * Dv] = x Wv^T    Wv [Hkv * Dv, M]
//     heads [B, T, Hq * Dv] = attend(q, k, v)
//     output [B, T, N]      = heads Wo^T            Wo [N, Hq * Dv]
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "attention/attention.hpp"
#include "attention/tensor.hpp"

namespace attention {

/// y = x W^T: x [rows, in], W [out, in] as PyTorch's Linear keeps it,
/// y [rows, out]. Sizes are the caller's to keep.
void project(std::span<const float> x, std::span<const float> w, std::int64_t rows, std::int64_t in,
             std::int64_t out, std::span<float> y);

/// Features [B, T, H * D] seen as heads: row(b, h, t) holds the features
/// h * D ... (h + 1) * D - 1 of token t. Nothing is moved.
///
/// A reshape of the same memory to [B, H, T, D] without the transpose is the
/// classic mistake: it gives head h a run of whole tokens instead of a run of
/// features of every token.
HeadView<const float> split_heads(std::span<const float> features, std::int64_t tokens,
                                  std::int64_t heads, std::int64_t dim);

/// Heads seen as features [B, T, H * D] again, whatever their strides.
struct MergedHeads {
    HeadView<const float> heads;
    std::int64_t dim;

    float at(std::int64_t batch, std::int64_t token, std::int64_t feature) const {
        return heads.row(batch, feature / dim, token)[feature % dim];
    }
};
MergedHeads merge_heads(HeadView<const float> heads, std::int64_t dim);

/// One multi-head attention layer. `attention` holds shape (its keys are its
/// queries' tokens unless `context` is given), mask, scale, softcap and kernel;
/// its layout, q, k and v are not read.
struct Layer {
    std::int64_t model_dim = 0;                     ///< M, features of a token
    std::int64_t output_dim = 0;                    ///< N, rows of wo
    std::span<const float> x;                       ///< [B, T, M]
    std::optional<std::span<const float>> context;  ///< [B, S, M] that keys and values come from

    std::span<const float> wq;
    std::span<const float> wk;
    std::span<const float> wv;
    std::span<const float> wo;
    Problem attention;
};

/// Checks a layer without computing it.
Status validate(const Layer& layer);

/// The number of float32 values of a layer's output: B * T * N.
std::int64_t output_size(const Layer& layer);

/// All stages of a layer; shapes as at the top of this file.
struct LayerTrace {
    std::vector<float> q;
    std::vector<float> k;
    std::vector<float> v;
    Trace attention;  ///< its output is `heads`, [B, T, Hq * Dv]
    std::vector<float> output;
};

/// Runs the layer and keeps every stage. Errors: those of trace(), named after
/// the layer's fields ("wq").
Status trace_layer(const Layer& layer, LayerTrace& into);

/// Runs the layer into `output` [B, T, N], with the kernel it names. Errors:
/// those of attend().
Status attend_layer(const Layer& layer, std::span<float> output);

}  // namespace attention

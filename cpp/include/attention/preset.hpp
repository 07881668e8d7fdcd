// Layers to start from: plain fillings, and layers made by hand whose heads do one
// thing that can be followed. All numbers are the same bits on every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "attention/shape.hpp"
#include "attention/status.hpp"

namespace attention {

/// A preset by name and the sizes of the layer.
///
///     "identity"        1 where row = column
///     "zero"
///     "random"          even over [-1, 1) / sqrt(columns), to two decimals, by `seed`
///     "previous-token"  a query looks at the key one position before its own
///     "first-token"     at the key at position 0
///     "same-token"      at the keys whose token has the same id
///
/// The last three are made by hand, and all their heads are alike. They put at least
/// 0.9 of a query's weight on such keys where the mask shows any, with a scale of
/// 1 / sqrt(D) or more and no softcap or bias. Positions and ids are points on
/// circles, a pair of features each: the query is its token's point, for the previous
/// token turned back by one step; the nearest point wins. Values are the token's
/// first Dv features, and the output is the mean over the heads.
struct Preset {
    std::string name;
    Shape shape;
    std::int64_t model_dim = 0;   ///< M
    std::int64_t output_dim = 0;  ///< N
    std::int64_t seed = 0;
    /// [S], for "same-token" only: which keys have equal tokens.
    std::optional<std::span<const std::int32_t>> token_ids;
};

/// The tensors of a Layer, row-major. The queries' tokens are the last T of the S
/// tokens, whatever T and S are.
struct LayerValues {
    std::vector<float> x;        ///< [B, T, M]
    std::vector<float> context;  ///< [B, S, M]
    std::vector<float> wq;       ///< [Hq * D, M]
    std::vector<float> wk;       ///< [Hkv * D, M]
    std::vector<float> wv;       ///< [Hkv * Dv, M]
    std::vector<float> wo;       ///< [N, Hq * Dv]
};

/// Fills a layer. Errors: those of the shape; wrong_value for a name that there is not,
/// and for a headDim or modelDim too small to tell so many tokens apart; missing_field
/// and wrong_shape for token_ids; too_large for tensors beyond max_trace_pairs. On an
/// error `into` is left as it was.
Status fill_layer(const Preset& preset, LayerValues& into);

}  // namespace attention

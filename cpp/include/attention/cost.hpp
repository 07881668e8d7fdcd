// What an attention problem costs, counted and not measured.
#pragma once

#include <cstdint>

#include "attention/mask.hpp"
#include "attention/shape.hpp"

namespace attention {

/// Doubles, because the counts of a long context pass 2^53 only far beyond any
/// machine and JavaScript has no other number.
struct Cost {
    double pairs = 0;          ///< B * Hq * T * S
    double visible_pairs = 0;  ///< the pairs that the mask leaves, counted exactly
    double flops = 0;          ///< 2 * pairs * (D + Dv); with D = Dv the 4 * T^2 * D per head
    double visible_flops = 0;  ///< 2 * visible_pairs * (D + Dv): all that must be computed
    double score_bytes = 0;    ///< 4 * pairs: the float32 score matrix, if one were held
    double cache_bytes_per_token = 0;  ///< Hkv * (D + Dv) * bytes per element, for one layer
    double cache_bytes = 0;            ///< that for B * S tokens
};

/// Counts. `cache_element_bytes` is the size of a cached number: 4 for float32,
/// 2 for float16, 1 for 8 bits. Errors: those of the shape and the mask, and
/// wrong_value for another element size, and too_large where more than 2^30 pairs
/// would have to be looked at one by one.
Status cost(const Shape& shape, const MaskRules& rules, std::int64_t cache_element_bytes,
            Cost& into);

}  // namespace attention

// Whether hidden values may be multiplied by a weight of 0, or must be skipped.
#pragma once

#include "rows.hpp"
#include "simd.hpp"

namespace attention {

// A weight of 0 hides a value unless 0 * value is NaN: a masked slot may hold NaN
// or infinity and must change nothing. Kernels ask this of a tile that a row does
// not see whole, and where the answer is no they skip hidden slots one by one.
template <class Arch>
[[gnu::noinline]] bool values_are_finite(const Checked& p, const Rows& rows, const Keys& keys) {
    using Lanes = simd::Floats<Arch>;
    constexpr auto width = static_cast<std::int64_t>(Lanes::size);
    bool finite = true;
    for (std::int64_t j = 0; j < keys.count; ++j) {
        const float* v = p.v.row(rows.batch, rows.kv_head, keys.first + j);
        Lanes zeros(0.0F);
        std::int64_t c = 0;
        for (; c + width <= p.shape.value_dim; c += width) {
            zeros = simd::multiply_add<Arch>(Lanes::load_unaligned(v + c), Lanes(0.0F), zeros);
        }
        finite = finite && xsimd::all(zeros == Lanes(0.0F));
        for (; c < p.shape.value_dim; ++c) finite = finite && v[c] * 0.0F == 0.0F;
    }
    return finite;
}

}  // namespace attention

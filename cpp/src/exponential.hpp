// exp(x) for x <= 0, on vectors.
//
// Write x = (n + f) ln 2 with a whole n and |f| <= 1/2. Then exp(x) = 2^n 2^f:
// 2^f is a polynomial of degree 5, 2^n is put together in the exponent bits. The
// polynomial is the minimax one for the relative error among those that are 1 at
// 0, at most 9.2e-8 off before rounding (found by Lawson's iteration; the error of
// degree n for e^y on [-a, a] is about a^(n+1) / (2^n (n+1)!), so degree 4 would
// leave 2.6e-6). exp(0) = 1 exactly matters: the factor by which a row that keeps
// its maximum is scaled down, once for every tile of keys, must be 1.
//
// Bound: |result - exp(x)| <= 2.5e-7 exp(x) (1 + |x| / 3), tested over the whole
// range down to -87.3. Below -126.5 ln 2 = -87.68 the result is exactly 0: the
// floor at -127 ln 2 makes 2^n come out as 0. Without it hidden keys would weigh
// some denormal number, which slows their products with the values several
// times. -infinity gives 0, NaN gives NaN.
#pragma once

#include "simd.hpp"

namespace attention::simd {

template <class Arch>
[[gnu::always_inline]] inline Floats<Arch> exponential(Floats<Arch> x) {
    using F = Floats<Arch>;
    constexpr float log2_e = 1.44269504088896341F;
    // Added to a number below 2^22, 1.5 * 2^23 leaves the nearest whole number
    // in the low bits of the sum. The 127 on top is the bias of the exponent.
    constexpr float round_to_whole = 12582912.0F + 127.0F;

    const F bounded = at_least<Arch>(x, F(-88.0296919F));
    const F whole_bits = multiply_add<Arch>(bounded, F(log2_e), F(round_to_whole));
    const F whole = whole_bits - F(round_to_whole);
    const F f = multiply_add<Arch>(bounded, F(log2_e), -whole);

    F power = multiply_add<Arch>(F(0.00132647387F), f, F(0.00967151668F));
    power = multiply_add<Arch>(power, f, F(0.0555073375F));
    power = multiply_add<Arch>(power, f, F(0.240222420F));
    power = multiply_add<Arch>(power, f, F(0.693146978F));
    power = multiply_add<Arch>(power, f, F(1.0F));

    const auto exponent = xsimd::bitwise_cast<std::int32_t>(whole_bits) << 23;
    return power * xsimd::bitwise_cast<float>(exponent);
}

}  // namespace attention::simd

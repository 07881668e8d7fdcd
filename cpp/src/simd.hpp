// The few vector operations that the tiled kernel is written in, over
// xsimd::batch of whatever width the architecture has.
#pragma once

#include <type_traits>
#include <xsimd/xsimd.hpp>

#ifdef __wasm_relaxed_simd__
#include <wasm_simd128.h>
#endif

namespace attention::simd {

#ifdef __wasm_simd128__
inline constexpr bool is_wasm = true;
#else
inline constexpr bool is_wasm = false;
#endif

/// The vectors that a loop of multiply-adds can hold in registers: V8 keeps one of 16
/// for itself, and a product that is not fused with its sum takes another.
#if defined(__wasm_simd128__) && !defined(__wasm_relaxed_simd__)
inline constexpr int registers = 14;
#else
inline constexpr int registers = 15;
#endif

template <class Arch>
using Floats = xsimd::batch<float, Arch>;

template <class Arch>
using Integers = xsimd::batch<std::int32_t, Arch>;

/// a * b + c, rounded once where the machine has a fused multiply-add, twice
/// elsewhere. WebAssembly's is in relaxed SIMD, which xsimd does not reach.
template <class Arch>
[[gnu::always_inline]] inline Floats<Arch> multiply_add(Floats<Arch> a, Floats<Arch> b,
                                                        Floats<Arch> c) {
#ifdef __wasm_relaxed_simd__
    return wasm_f32x4_relaxed_madd(a, b, c);
#else
    return xsimd::fma(a, b, c);
#endif
}

/// The larger of x and a floor that is a number; NaN stays NaN. One instruction:
/// it relies on which operand each machine returns when they do not compare.
template <class Arch>
[[gnu::always_inline]] inline Floats<Arch> at_least(Floats<Arch> x, Floats<Arch> floor) {
    if constexpr (is_wasm) return xsimd::max(x, floor);  // pmax: x < floor ? floor : x
    return xsimd::max(floor, x);                         // maxps: floor > x ? floor : x
}

}  // namespace attention::simd

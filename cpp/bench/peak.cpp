// What this machine can do at most, in the instructions of this WebAssembly build:
// multiply-adds in registers, and a sum over memory. The benchmark's yardsticks.
#include <emscripten.h>
#include <wasm_simd128.h>

#include <cstdint>

namespace {

v128_t multiply_add(v128_t a, v128_t b, v128_t c) {
#ifdef __wasm_relaxed_simd__
    return wasm_f32x4_relaxed_madd(a, b, c);
#else
    return wasm_f32x4_add(wasm_f32x4_mul(a, b), c);
#endif
}

// As many chains as the register tile has: enough to hide the latency of any
// machine, and all of them fit into the 16 registers of SSE.
constexpr int chains = 12;

float sum_of(const v128_t (&parts)[chains]) {
    v128_t total = parts[0];
    for (int i = 1; i < chains; ++i) total = wasm_f32x4_add(total, parts[i]);
    return wasm_f32x4_extract_lane(total, 0) + wasm_f32x4_extract_lane(total, 1) +
           wasm_f32x4_extract_lane(total, 2) + wasm_f32x4_extract_lane(total, 3);
}

}  // namespace

extern "C" {

/// 12 * 4 multiply-adds a step, which is 96 operations. The operands are arguments
/// because newer versions of V8 make a constant vector anew at each of its uses.
EMSCRIPTEN_KEEPALIVE float multiply_add_steps(std::int32_t steps, float a, float b) {
    v128_t parts[chains];
    for (int i = 0; i < chains; ++i) parts[i] = wasm_f32x4_splat(static_cast<float>(i));
    const v128_t factor = wasm_f32x4_splat(a);
    const v128_t addend = wasm_f32x4_splat(b);
    for (std::int32_t step = 0; step < steps; ++step) {
        for (v128_t& part : parts) part = multiply_add(part, factor, addend);
    }
    return sum_of(parts);
}

/// The sum of `size` values, a multiple of 48, each read once.
EMSCRIPTEN_KEEPALIVE float sum(const float* values, std::int32_t size) {
    v128_t parts[chains] = {};
    for (const float* end = values + size; values != end; values += 4 * chains) {
        for (int i = 0; i < chains; ++i) {
            parts[i] = wasm_f32x4_add(parts[i], wasm_v128_load(values + 4 * i));
        }
    }
    return sum_of(parts);
}
}

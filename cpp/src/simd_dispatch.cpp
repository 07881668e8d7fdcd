// Chooses the widest SIMD kernels that the processor at hand can run.
#include "simd_variants.hpp"

#ifdef ATTENTION_X86
#include <cstdlib>
#include <string_view>
#endif

namespace attention {

namespace {

#ifdef ATTENTION_X86
/// ATTENTION_WIDTH=baseline|avx2 holds the kernels back from a wider width, so
/// that tests run every one that the machine has.
SimdKernels choose() {
    const char* asked = std::getenv("ATTENTION_WIDTH");
    const std::string_view limit = asked ? asked : "";
    const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool has_avx512 =
        __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
    if (limit == "baseline" || !has_avx2) return simd_baseline();
    return limit == "avx2" || !has_avx512 ? simd_avx2() : simd_avx512();
}
#else
SimdKernels choose() { return simd_baseline(); }
#endif

const SimdKernels& kernels() {
    static const SimdKernels chosen = choose();
    return chosen;
}

}  // namespace

Status attend_tiled(const Checked& problem, HeadView<float> output) {
    return kernels().tiled(problem, output);
}

Status attend_decode(const Checked& problem, HeadView<float> output) {
    return kernels().decode(problem, output);
}

}  // namespace attention

// Chooses the widest tiled kernel that the processor at hand can run.
#include "tiled_variants.hpp"

#ifdef ATTENTION_X86
#include <cstdlib>
#include <string_view>
#endif

namespace attention {

namespace {

using Variant = Status (*)(const Checked&, HeadView<float>);

#ifdef ATTENTION_X86
/// ATTENTION_WIDTH=baseline|avx2 holds the kernel back from a wider width, so
/// that tests run every one that the machine has.
Variant choose() {
    const char* asked = std::getenv("ATTENTION_WIDTH");
    const std::string_view limit = asked ? asked : "";
    const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool has_avx512 =
        __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
    if (limit == "baseline" || !has_avx2) return attend_tiled_baseline;
    return limit == "avx2" || !has_avx512 ? attend_tiled_avx2 : attend_tiled_avx512;
}
#else
Variant choose() { return attend_tiled_baseline; }
#endif

}  // namespace

Status attend_tiled(const Checked& problem, HeadView<float> output) {
    static const Variant variant = choose();
    return variant(problem, output);
}

}  // namespace attention

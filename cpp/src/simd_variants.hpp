// The SIMD kernels at each width in which they are compiled, each in a file of
// its own with its own compiler flags. simd_dispatch.cpp chooses.
#pragma once

#include "kernels.hpp"

namespace attention {

/// The kernels that are compiled for a vector width.
struct SimdKernels {
    Status (*tiled)(const Checked& problem, HeadView<float> output);
    Status (*decode)(const Checked& problem, HeadView<float> output);
};

SimdKernels simd_baseline();
#ifdef ATTENTION_X86
SimdKernels simd_avx2();
SimdKernels simd_avx512();
#endif

}  // namespace attention

// The tiled kernel for AVX2 with FMA: 8 floats abreast.
#include "tiled.hpp"
#include "tiled_variants.hpp"

namespace attention {

Status attend_tiled_avx2(const Checked& problem, HeadView<float> output) {
    return tiled::Kernel<xsimd::fma3<xsimd::avx2>>(problem, output).run();
}

}  // namespace attention

// The tiled kernel for AVX-512: 16 floats abreast.
#include "tiled.hpp"
#include "tiled_variants.hpp"

namespace attention {

Status attend_tiled_avx512(const Checked& problem, HeadView<float> output) {
    return tiled::Kernel<xsimd::avx512bw>(problem, output).run();
}

}  // namespace attention

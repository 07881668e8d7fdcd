// The SIMD kernels for AVX2 with FMA: 8 floats abreast.
#include "decode_kernel.hpp"
#include "simd_variants.hpp"
#include "tiled.hpp"

namespace attention {

SimdKernels simd_avx2() {
    using Arch = xsimd::fma3<xsimd::avx2>;
    return {tiled::attend<Arch>, decoding::attend<Arch>};
}

}  // namespace attention

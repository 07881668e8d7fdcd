// The SIMD kernels for AVX-512: 16 floats abreast.
#include "decode_kernel.hpp"
#include "simd_variants.hpp"
#include "tiled.hpp"

namespace attention {

SimdKernels simd_avx512() {
    using Arch = xsimd::avx512bw;
    return {tiled::attend<Arch>, decoding::attend<Arch>};
}

}  // namespace attention

// The SIMD kernels at the width that every machine of this family has.
#include "decode_kernel.hpp"
#include "simd_variants.hpp"
#include "tiled.hpp"

namespace attention {

SimdKernels simd_baseline() {
    using Arch = xsimd::default_arch;
    return {tiled::attend<Arch>, decoding::attend<Arch>};
}

}  // namespace attention

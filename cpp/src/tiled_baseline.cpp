// The tiled kernel at the width that every machine of this family has.
#include "tiled.hpp"
#include "tiled_variants.hpp"

namespace attention {

Status attend_tiled_baseline(const Checked& problem, HeadView<float> output) {
    return tiled::Kernel<xsimd::default_arch>(problem, output).run();
}

}  // namespace attention

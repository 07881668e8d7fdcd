// The widths in which the tiled kernel is compiled, each in a file of its own
// with its own compiler flags. tiled_dispatch.cpp chooses.
#pragma once

#include "kernels.hpp"

namespace attention {

Status attend_tiled_baseline(const Checked& problem, HeadView<float> output);
#ifdef ATTENTION_X86
Status attend_tiled_avx2(const Checked& problem, HeadView<float> output);
Status attend_tiled_avx512(const Checked& problem, HeadView<float> output);
#endif

}  // namespace attention

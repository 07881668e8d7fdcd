// What a kernel is to the rest of the library: it takes a checked problem and
// writes its output. Kernels know nothing of each other.
#pragma once

#include "checked.hpp"

namespace attention {

Status attend_reference(const Checked& problem, HeadView<float> output);
void attend_online(const Checked& problem, HeadView<float> output);
Status attend_tiled(const Checked& problem, HeadView<float> output);
Status attend_decode(const Checked& problem, HeadView<float> output);

/// The reference kernel, keeping its intermediates. The vectors of `into` have
/// their sizes already.
void trace_reference(const Checked& problem, HeadView<float> output, Trace& into);

}  // namespace attention

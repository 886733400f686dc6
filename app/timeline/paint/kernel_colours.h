#pragma once

#include "profiler/analysis/kernel_kind.h"
#include "profiler/figure/palette.h"

namespace app {

// Kernels are neutral, distinguished by lightness, for the hue above them is the op's; what moves
// data has the hue of communication.
profiler::Colour kernelColour(profiler::KernelKind kind, const profiler::Palette& palette);

} // namespace app

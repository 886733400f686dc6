#pragma once

#include "profiler/analysis/kernel_kind.h"
#include "profiler/figure/palette.h"

namespace app {

// Kernels are neutral and differ in lightness, since hue marks the op above; kernels that move data
// have the hue of communication.
profiler::Colour kernelColour(profiler::KernelKind kind, const profiler::Palette& palette);

} // namespace app

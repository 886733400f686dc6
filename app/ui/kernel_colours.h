#pragma once

#include "app/ui/theme.h"
#include "profiler/analysis/gpu_activity.h"
#include "profiler/figure/palette.h"

namespace app {

// Kernels are grey and differ in lightness, because hue stands for the kind of op. Kernels that
// move data have the hue of communication.
profiler::Colour kernelColour(profiler::KernelKind kind, const profiler::Palette& palette);

} // namespace app

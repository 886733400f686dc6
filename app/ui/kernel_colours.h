#pragma once

#include "app/ui/theme.h"
#include "profiler/analysis/gpu_activity.h"
#include "profiler/figure/palette.h"

namespace app {

// Kernels are grey and differ in lightness, because hue stands for the kind of op. Kernels that
// move data have the hue of communication.
profiler::Colour kernelColour(profiler::KernelKind kind, const profiler::Palette& palette);

// Returns the colour of the coverage part at `position`; later parts are lighter. A negative
// position selects the unclassified part.
QColor coverageColour(const Theme& theme, int position);

} // namespace app

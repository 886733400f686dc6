#pragma once

#include "profiler/figure/scene.h"

namespace profiler {

enum class Sight : std::uint8_t { Colour, Grey, Deuteranopia, Protanopia };

// Returns the colour as a printer without colours prints it, or as a person with a colour vision
// deficiency sees it. Uses the matrices of Machado, Oliveira and Fernandes (2009) for full
// severity, on linear light.
Colour seen(Colour colour, Sight sight);
Scene seen(Scene scene, Sight sight);

} // namespace profiler

#pragma once

#include "profiler/figure/scene.h"

#include <string>

namespace profiler {

// The scene as one SVG file: a group per row with its id, an element per box with class and
// data-op, text as text. Colours are attributes, so that a style sheet may override them.
std::string toSvg(const Scene& scene);

} // namespace profiler

#pragma once

#include "profiler/figure/scene.h"

#include <string>
#include <string_view>

namespace profiler {

// Writes the scene as an SVG file: a group with an id for each row, an element with class and
// data-op for each box, and texts as text. Colours are attributes, so that style sheets can
// override them.
std::string toSvg(const Scene& scene);

// Escapes markup and removes control characters in text of unknown origin, for SVG and HTML.
std::string markupText(std::string_view text);

} // namespace profiler

#pragma once

#include "profiler/figure/scene.h"

#include <string>

namespace profiler {

// Writes the scene as a `tikzpicture` for \input, with named colours and a comment for each group.
// Texts stay text, so that they have the font of the document. Needs only \usepackage{tikz}.
// Lengths are in bp (1/72 in), so that the printed size is that of the scene.
std::string toTikz(const Scene& scene);

} // namespace profiler

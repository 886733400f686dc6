#pragma once

#include "profiler/figure/scene.h"

#include <string>

namespace profiler {

// Writes the scene as a `tikzpicture` for \input: colours by name, a comment per group. Text stays
// text, so that it has the font of the document. Needs only \usepackage{tikz}. Lengths are in bp,
// so that the printed size is that of the scene.
std::string toTikz(const Scene& scene);

} // namespace profiler

#pragma once

#include "profiler/figure/scene.h"

#include <string>

namespace profiler {

// The scene as a `tikzpicture` for \input: colours by name, a comment per group, text as text in
// the font of the document, so that a figure speaks with the paper's voice. Needs \usepackage{tikz}
// and nothing else. Big points, so that the size on paper is the scene's.
std::string toTikz(const Scene& scene);

} // namespace profiler

#pragma once

#include "profiler/figure/scene.h"

#include <vector>

namespace profiler {

struct Segment
{
    double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
};

// Returns the lines of a hatch, clipped to its outline, so that the code that draws them needs no
// clipping. Lines are placed relative to the page, so that they continue from one bubble to an
// adjacent one.
std::vector<Segment> hatchLines(const Hatch& hatch);

// The corners of a box in clockwise order from the upper left: four, or five if a corner is cut.
std::vector<std::pair<double, double>> outline(const Rect& rect, double cut);
inline std::vector<std::pair<double, double>> outline(const Box& box)
{
    return outline(box.rect, box.cut);
}

} // namespace profiler

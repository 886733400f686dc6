#pragma once

#include "profiler/figure/scene.h"

#include <vector>

namespace profiler {

struct Segment
{
    double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
};

// The lines of a hatch, cut to its outline. Their origin is the page, so that neighbouring bubbles
// continue one another; every back-end draws these and needs no clipping.
std::vector<Segment> hatchLines(const Hatch& hatch);

// The corners of a box, clockwise from the upper left: four, or five where a corner is cut.
std::vector<std::pair<double, double>> outline(const Rect& rect, double cut);
inline std::vector<std::pair<double, double>> outline(const Box& box)
{
    return outline(box.rect, box.cut);
}

} // namespace profiler

#pragma once

#include "profiler/figure/figure_style.h"

namespace profiler {

// Lays out the axis line at `y`, its ticks and their numbers. `length` is in the unit of the axis,
// FigureStyle::unit.
Group layoutAxis(const FigureStyle& style, double y, double length);
// axisRight() returns the right end of the last number, and axisHeight() returns the height below
// the axis line. Both are in points.
double axisRight(const FigureStyle& style, double length);
double axisHeight(const FigureStyle& style);

} // namespace profiler

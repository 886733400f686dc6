#pragma once

#include "profiler/figure/figure_style.h"

namespace profiler {

// Axis line, ticks and their numbers, its line at `y`; `length` in printed units.
Group layoutAxis(const FigureStyle& style, double y, double length);
// Right end of the last tick's number, and the height below the axis line.
double axisRight(const FigureStyle& style, double length);
double axisHeight(const FigureStyle& style);

} // namespace profiler

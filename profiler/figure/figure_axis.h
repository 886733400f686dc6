#pragma once

#include "profiler/figure/figure_style.h"

#include <vector>

namespace profiler {

struct Ticks
{
    double step = 1;
    int decimals = 0; // that their labels need
    std::vector<double> values;
};

// Multiples of 1, 2 or 5 x 10^k from 0 to `length`, at least `closest` apart.
Ticks ticks(double length, double closest);

// Axis line, ticks and their numbers, its line at `y`; `length` in printed units.
Group layoutAxis(const FigureStyle& style, double y, double length);
// Right end of the last tick's number, and the height below the axis line.
double axisRight(const FigureStyle& style, double length);
double axisHeight(const FigureStyle& style);

} // namespace profiler

#pragma once

#include <vector>

namespace profiler {

// The marks of an axis, in the unit of the axis. Labelled marks are 1, 2 or 5 times a power of ten
// apart.
struct Ticks
{
    double step = 1; // distance of labelled marks
    std::vector<double> major, minor;
    int decimals = 0; // decimals of the labels
};

// Returns the marks from `begin` to `end`; labelled marks are at least `closest` apart. Returns no
// marks unless begin < end and closest > 0.
Ticks ticks(double begin, double end, double closest);

} // namespace profiler

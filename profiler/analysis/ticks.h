#pragma once

#include <vector>

namespace profiler {

// Marks of an axis, in its unit: labelled ones every 1, 2 or 5 times a power of ten.
struct Ticks
{
    double step = 1; // between labelled marks
    std::vector<double> major, minor;
    int decimals = 0; // that a label needs
};

// The marks from `begin` to `end`, labelled ones at least `closest` apart. None where `end` is not
// after `begin`, or `closest` not positive.
Ticks ticks(double begin, double end, double closest);

} // namespace profiler

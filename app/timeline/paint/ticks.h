#pragma once

#include <vector>

namespace app {

// Marks of a ruler: steps of 1, 2 or 5 times a power of ten, counted from `origin`.
struct Ticks
{
    double step = 1;           // between labelled marks, in the unit asked for
    std::vector<double> major; // from origin, in units
    std::vector<double> minor;
    int decimals = 0; // a label needs
};

// `begin` and `end` in units from the origin, `pixelsPerUnit` > 0; labelled marks stand at least
// `spacing` pixels apart.
Ticks ticks(double begin, double end, double pixelsPerUnit, double spacing = 60);

} // namespace app

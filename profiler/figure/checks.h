#pragma once

#include "profiler/figure/layout.h"

#include <string>
#include <vector>

namespace profiler {

// One thing a figure must be to be read in print: true, or a warning that names what is at fault.
struct FigureCheck
{
    bool good = true;
    std::string text; // "smallest number 5.5 pt", "Device 1: 12 numbers do not fit"

    friend bool operator==(const FigureCheck&, const FigureCheck&) = default;
};

// Numbers (all there, at least 5 pt), ink (at least 4.5 : 1 on its box), kinds of op that differ
// in grey: read off the scene itself; the options only say whether numbers are wanted.
std::vector<FigureCheck> checkFigure(const Scene& scene, const FigureOptions& options);

} // namespace profiler

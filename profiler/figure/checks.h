#pragma once

#include "profiler/figure/layout.h"

#include <string>
#include <vector>

namespace profiler {

// The result of one check of a figure's legibility in print.
struct FigureCheck
{
    bool good = true;
    std::string text; // the finding: "smallest number 5.5 pt", "Device 1: 12 numbers do not fit"

    friend bool operator==(const FigureCheck&, const FigureCheck&) = default;
};

// Checks that all numbers are present and at least 5 pt, that their contrast to the box is at least
// 4.5 : 1, and that kinds of op differ in grey. All checks measure the scene; `options` only
// determines whether numbers are expected.
std::vector<FigureCheck> checkFigure(const Scene& scene, const FigureOptions& options);

} // namespace profiler

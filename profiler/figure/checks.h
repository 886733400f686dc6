#pragma once

#include "profiler/figure/layout.h"
#include "profiler/figure/scene.h"

#include <string>
#include <vector>

namespace profiler {

enum class Sight : std::uint8_t { Colour, Grey, Deuteranopia, Protanopia };

// As a printer without colours prints the colour, or as a person with a colour vision deficiency
// sees it. Uses the matrices of Machado, Oliveira and Fernandes (2009) for full severity, on linear
// light.
Colour seen(Colour colour, Sight sight);
Scene seen(Scene scene, Sight sight);

// The result of one check of a figure's legibility in print.
struct FigureCheck
{
    bool good = true;
    // The finding: "smallest number 5.5 pt", "Device 1: 12 numbers do not fit in their boxes".
    std::string text;

    friend bool operator==(const FigureCheck&, const FigureCheck&) = default;
};

// Checks that all micro-batch numbers are present, that they have a contrast of at least 4.5 : 1 to
// their boxes, and that kinds of op differ in grey. All checks measure the scene; `options` only
// determines whether numbers are expected.
std::vector<FigureCheck> checkFigure(const Scene& scene, const FigureOptions& options);

} // namespace profiler

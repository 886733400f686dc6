#pragma once

#include "profiler/figure/figure_content.h"
#include "profiler/figure/figure_style.h"

namespace profiler {

// The space for a legend, in points.
struct LegendPlace
{
    double top = 0;
    double right = 0;     // right end of all lines
    double lastRight = 0; // where the last line must end, so that other text fits to its right
};

struct Legend
{
    Group group;
    double bottom = 0;   // baseline of the last line
    bool besides = true; // whether the last line ends to the left of lastRight
};

// Lays out a legend with one entry per distinct look, in one line if the entries fit.
Legend layoutLegend(const std::vector<FigureRun>& runs, const FigureStyle& style,
                    const FigureOptions& options, const LegendPlace& place);

} // namespace profiler

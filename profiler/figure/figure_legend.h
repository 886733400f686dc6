#pragma once

#include "profiler/figure/figure_content.h"
#include "profiler/figure/figure_style.h"

namespace profiler {

struct LegendPlace
{
    double top = 0;
    double right = 0;     // of all lines
    double lastRight = 0; // of the last line: what stands right of it keeps its room
};

struct Legend
{
    Group group;
    double bottom = 0;   // baseline of the last line
    bool besides = true; // false: no line was left that ends before lastRight
};

// One entry for each thing that occurs, in one line where that is enough.
Legend layoutLegend(const std::vector<FigureRun>& runs, const FigureStyle& style,
                    const FigureOptions& options, const LegendPlace& place);

} // namespace profiler

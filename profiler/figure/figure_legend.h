#pragma once

#include "profiler/figure/figure_content.h"
#include "profiler/figure/figure_style.h"

namespace profiler {

// The space for a legend, in points.
struct LegendPlace
{
    double top = 0;
    double right = 0; // right end of all lines
    // Largest right end of the last line that leaves space for other text after it.
    double lastRight = 0;
};

struct Legend
{
    Group group;
    double bottom = 0;   // baseline of the last line
    bool besides = true; // whether the last line ends before LegendPlace::lastRight
};

// Lays out a legend with one entry for each look that boxes of the figure have, on one line if the
// entries fit.
Legend layoutLegend(const std::vector<FigureRun>& runs, const FigureStyle& style,
                    const FigureOptions& options, const LegendPlace& place);

} // namespace profiler

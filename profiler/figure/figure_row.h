#pragma once

#include "profiler/figure/figure_content.h"
#include "profiler/figure/figure_style.h"

namespace profiler {

FigureScale scaleOf(const FigureRun& run, const FigureStyle& style);

// The minimum size of numbers: 5 pt in a paper, more if the font of the figure is larger (on a
// slide).
double smallestNumber(double labelSize);

// The largest size at which all micro-batch numbers fit, at most the size of labels. If they do not
// fit at the minimum size, returns the minimum size; the numbers of narrow boxes are then omitted.
double digitSize(const std::vector<FigureRun>& runs, const FigureStyle& style);

struct RowPlace
{
    double top = 0;
    FigureScale scale;
    std::string prefix; // distinguishes the ids of several runs: "", "run1-"
};

// Draws one device: label, bubbles, exposed communication, ops with their numbers, share of
// bubbles.
Group layoutRow(const FigureRow& row, const FigureStyle& style, const FigureOptions& options,
                const RowPlace& place);

} // namespace profiler

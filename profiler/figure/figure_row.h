#pragma once

#include "profiler/figure/figure_content.h"
#include "profiler/figure/figure_style.h"

namespace profiler {

FigureScale scaleOf(const FigureRun& run, const FigureStyle& style);

// Numbers are never smaller than this: 5 pt in a paper, more where all type is larger (a slide).
double smallestNumber(double labelSize);

// The largest size of micro-batch numbers, from the smallest to the figure's type, at which all of
// them fit; the smallest where they do not: the narrow ones are left out then.
double digitSize(const std::vector<FigureRun>& runs, const FigureStyle& style);

struct RowPlace
{
    double top = 0;
    FigureScale scale;
    std::string prefix; // keeps the ids of several runs apart: "", "run1-"
};

// One device: label, bubbles, exposed communication, ops with their numbers, share of bubbles.
Group layoutRow(const FigureRow& row, const FigureStyle& style, const FigureOptions& options,
                const RowPlace& place);

} // namespace profiler

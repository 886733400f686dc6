#pragma once

#include "profiler/figure/figure_content.h"
#include "profiler/figure/figure_style.h"

namespace profiler {

FigureScale scaleOf(const FigureRun& run, const FigureStyle& style);

// Returns the minimum size of numbers in points: 5 in a paper, more if the figure has a larger font
// (on a slide).
double smallestNumber(double labelSize);

// Returns the largest size at which all micro-batch numbers fit, but at most the size of labels and
// at least the minimum size. At the minimum size, numbers in narrow boxes may be omitted.
double digitSize(const std::vector<FigureRun>& runs, const FigureStyle& style);

struct RowPlace
{
    double top = 0;
    FigureScale scale;
    std::string prefix; // prefix of ids, which distinguishes the runs of a figure: "", "run1-"
};

// Draws the row of one device: label, bubbles, exposed communication, ops with their numbers, and
// the share of bubbles.
Group layoutRow(const FigureRow& row, const FigureStyle& style, const FigureOptions& options,
                const RowPlace& place);

} // namespace profiler

#pragma once

#include "profiler/figure/figure_content.h"
#include "profiler/figure/figure_style.h"

namespace profiler {

struct MemoryStripPlace
{
    const FigureStyle& style;
    const FigureScale& scale;
    double top = 0, right = 0;
    std::int64_t highest = 1; // highestPeak(), because all strips of a figure share a scale
};

// Draws the memory of one device during the iteration, below its row: resident memory in grey, the
// stash above it in the colour of stashes, and the peak as a number at the right.
void addMemoryStrip(Group& group, const FigureRun& run, engine::DeviceId device,
                    const MemoryStripPlace& place);
double memoryStripHeight(const FigureStyle& style);
// The largest peak of a row of the figure in bytes, at least 1.
std::int64_t highestPeak(const std::vector<FigureRun>& runs);
std::string peakText(const FigureRun& run, engine::DeviceId device); // "9.7 MiB"

} // namespace profiler

#pragma once

#include "profiler/figure/figure_content.h"
#include "profiler/figure/figure_style.h"

namespace profiler {

struct MemoryStripPlace
{
    const FigureStyle& style;
    const FigureScale& scale;
    double top = 0, right = 0;
    const std::vector<FigureRun>& runs; // all runs of the figure, which share a scale of bytes
};

// Draws the memory of one device during the iteration, below its row: resident memory in grey, the
// stash above it in the colour of stashes, and the peak as a number at the right.
void addMemoryStrip(Group& group, const FigureRun& run, engine::DeviceId device,
                    const MemoryStripPlace& place);
double memoryStripHeight(const FigureStyle& style);
std::string peakText(const FigureRun& run, engine::DeviceId device); // "9.7 MiB"

} // namespace profiler

#pragma once

#include "profiler/figure/figure_content.h"
#include "profiler/figure/figure_style.h"

namespace profiler {

struct MemoryStripPlace
{
    const FigureStyle& style;
    const FigureScale& scale;
    double top = 0, right = 0;
    const std::vector<FigureRun>& runs; // of the figure: one scale of bytes for all
};

// Bytes of one device over the iteration under its row: what stays in grey, the stash above it in
// its colour, the peak as a number at the right.
void addMemoryStrip(Group& group, const FigureRun& run, engine::DeviceId device,
                    const MemoryStripPlace& place);
double memoryStripHeight(const FigureStyle& style);
std::string peakText(const FigureRun& run, engine::DeviceId device); // "9.7 MiB"

} // namespace profiler

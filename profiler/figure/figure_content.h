#pragma once

#include "engine/base/result.h"
#include "profiler/analysis/explain.h"
#include "profiler/figure/layout.h"

#include <string>
#include <vector>

namespace profiler {

// The content of a run's figure, without page layout. Times are ticks of the run.
struct FigureOp
{
    engine::Window window;
    engine::Op op;
    std::uint32_t position = 0; // position in the device's program; identifies the box
    int chunk = 0;
};

struct FigureRow
{
    engine::DeviceId device;
    std::vector<FigureOp> ops; // ops of the compute lane by begin, without those of zero length
    std::vector<engine::Window> exposed;
    std::vector<Bubble> bubbles;
    double bubbleShare = 0;
};

struct FigureRun
{
    const engine::Run* run = nullptr;
    int iteration = 0;
    engine::Window window;
    double bubbleRatio = 0;
    std::vector<FigureRow> rows;

    // In cost units if the run is in abstract units, otherwise in ns.
    double duration() const { return engine::ratio(window.duration(), run->info.ticksPerUnit); }
};

engine::Result<FigureRun> figureContent(const engine::Run& run, const FigureOptions& options);

std::string runTitle(const engine::Run& run); // "BitPipe, D 4, N 8, v 2"

} // namespace profiler

#pragma once

#include "engine/base/result.h"
#include "profiler/analysis/explain.h"
#include "profiler/figure/layout.h"

#include <string>
#include <vector>

namespace profiler {

// An op in the content of a figure. The content has no page layout yet; times are ticks of the run.
struct FigureOp
{
    engine::Window window;
    engine::Op op;
    std::uint32_t position = 0; // position in the device's program; identifies the box
    int chunk = 0;
    double length = 0;  // duration / duration of the run's longest op
    bool isCut = false; // whether an end of the drawn range cuts the op
    // Which half of a cell the op takes. Joint F and B share a cell: F takes the upper half, and B
    // takes the lower half.
    enum class Half : std::uint8_t { Both, Upper, Lower } half = Half::Both;
};

struct FigureRow
{
    engine::DeviceId device;
    std::vector<FigureOp> ops; // ops on the compute lane that take time, sorted by start
    std::vector<engine::Window> exposed;
    std::vector<Bubble> bubbles;
    std::string bubbleShare; // "14.3 %"; "" if the device has no trace
};

struct FigureRun
{
    const engine::Run* run = nullptr;
    int iteration = 0;
    engine::Window whole, window; // the whole iteration, and the part that is drawn
    double bubbleRatio = 0;       // bubble ratio of the drawn part
    std::int64_t longestOp = 0;   // longest op on a compute lane of the run, in ticks
    std::vector<FigureRow> rows;

    bool isWhole() const { return window == whole; }
    bool isEndDrawn() const { return window.end == whole.end; }

    // The following functions return cost units if the run is in abstract units, otherwise ns.
    double duration() const { return units(window.duration()); }
    double wholeDuration() const { return units(whole.duration()); }
    double begin() const { return units(window.begin - whole.begin); }
    double units(std::int64_t ticks) const { return engine::ratio(ticks, run->info.ticksPerUnit); }
};

engine::Result<FigureRun> figureContent(const engine::Run& run, const FigureOptions& options);

std::string runTitle(const engine::Run& run); // "BitPipe, D 4, N 8, v 2"

} // namespace profiler

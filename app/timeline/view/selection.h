#pragma once

#include "engine/base/id.h"
#include "engine/timeline/timeline.h"
#include "profiler/analysis/metrics.h"

#include <cstdint>

namespace app {

// The selected item of a timeline. The view and the details panel share one value.
struct Selection
{
    // Category: all boxes of a category of time in one iteration.
    enum class Kind : std::uint8_t { None, Op, Bubble, Range, Device, Kernel, Category };

    Kind kind = Kind::None;
    int iteration = -1;           // index into Timeline::iterations
    engine::DeviceId device = {}; // for Kind::Range: the device of the NVTX range; may be none
    engine::Track::Kind lane = engine::Track::Kind::Compute;
    std::uint32_t op = 0;       // for Kind::Op: the OpIndex
    engine::Window window = {}; // window of the selected item, on the timeline's clock
    // For Kind::Kernel: index into GpuActivity::work(); `op` is set if known.
    std::uint32_t work = 0;
    int row = 0; // for Kind::Kernel: index among the device's kernel rows

    profiler::TimeCategory category = {}; // for Kind::Category

    bool isOfTime() const // whether it has a place in time, unlike a device or a category
    {
        return kind != Kind::None && kind != Kind::Device && kind != Kind::Category;
    }
    friend bool operator==(const Selection&, const Selection&) = default;
};

// A micro-batch in one iteration. The timeline dims the boxes of all others.
struct Flow
{
    engine::MicroBatchId microBatch;
    int iteration = -1;

    friend bool operator==(const Flow&, const Flow&) = default;
};

} // namespace app

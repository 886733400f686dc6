#pragma once

#include "engine/base/result.h"
#include "profiler/analysis/metrics.h"

namespace profiler {

// The metrics of one device in a range of time.
struct RangeDevice
{
    // Times count only as far as ops are in the range; `bubble` includes `between`. Messages count
    // if they overlap the range. Peaks are those in the range. `span`, `weights` and `localCopies`
    // are not set.
    DeviceMetrics times;
    std::int64_t between = 0;              // ticks outside of all iterations
    std::int64_t opsWhole = 0, opsCut = 0; // compute ops within the range, and cut by its edges
    bool isRecorded = true; // false: a rank of an imported job without a trace; all times are 0
};

struct RangeMetrics
{
    engine::Window range;
    // Indices into Timeline::iterations of the first and the last iteration that overlap the range;
    // -1: none.
    int firstIteration = -1, lastIteration = -1;
    double bubbleRatio = 0; // sum of bubbles / (recorded devices x length of the range)
    // For each recorded device: compute + exposed + fill + wait + drain + between equals the
    // length of the range.
    engine::IdVector<engine::DeviceId, RangeDevice> devices;
    int recorded = 0; // number of devices with a trace
};

// The metrics of any window of the timeline, which may cover parts of several iterations. The range
// of one whole iteration has the times of metrics(). Takes time proportional to the spans of the
// iterations in the range. Fails with Error::Code::InvalidArgument if the range is empty, and with
// NotFound if the run has no iteration.
engine::Result<RangeMetrics> rangeMetrics(const engine::Run& run, engine::Window range);

} // namespace profiler

#pragma once

#include "engine/base/result.h"
#include "profiler/analysis/metrics.h"

namespace profiler {

// The metrics of one device in a range of time.
struct RangeDevice
{
    // Times include only the part of an op within the range. A message that overlaps the range is
    // counted as one message. `bubble` includes `between`. Peaks are those within the range.
    // `span`, `weights` and `localCopies` are not set.
    DeviceMetrics times;
    std::int64_t between = 0; // ticks of the range outside of all iterations
    // Numbers of compute ops entirely within the range, and of compute ops cut by its edges.
    std::int64_t opsWhole = 0, opsCut = 0;
    // False for a rank of an imported job without a trace; all its times are 0.
    bool isRecorded = true;
};

struct RangeMetrics
{
    engine::Window range;
    // Indices into Timeline::iterations of the first and the last iteration that overlap the range;
    // -1: none.
    int firstIteration = -1, lastIteration = -1;
    // sum of bubbles / (recorded devices x length of the range); not a number if unknown
    double bubbleRatio = 0;
    // For each recorded device: compute + exposed + fill + wait + drain + between equals the
    // length of the range.
    engine::IdVector<engine::DeviceId, RangeDevice> devices;
    int recorded = 0; // number of devices with a trace
};

// Returns the metrics of any window of the timeline, which may cover parts of several iterations.
// For the window of one whole iteration, the times equal those of metrics(). Takes time
// proportional to the number of spans in the iterations that overlap the range. Fails with
// Error::Code::InvalidArgument if the range is empty, and with NotFound if the run has no
// iteration.
engine::Result<RangeMetrics> rangeMetrics(const engine::Run& run, engine::Window range);

} // namespace profiler

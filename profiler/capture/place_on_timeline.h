#pragma once

#include "engine/timeline/gpu_trace.h"
#include "engine/timeline/run.h"

#include <optional>
#include <span>

namespace profiler {

// The time in which the host executed or queued an op, on CLOCK_MONOTONIC.
struct MeasuredWindow
{
    engine::OpOfIteration of;
    engine::Window wall;
};

// Assigns the records of a stream (Shape::windows > 1) to the windows of their ops. A record has no
// iteration when it is made, because a stream is divided into windows only after the last op. Does
// nothing for other runs.
void assignWindows(engine::GpuTrace& trace, const engine::Run& run);

// Moves the records of an emulated run from wall-clock time to the spans of their ops:
//  * The first GPU work of an op moves to the start of the op's span, and the op's other work moves
//    by the same amount.
//  * Host calls keep their distance from the launch of the op and are clipped to its span, so that
//    scripts find them within the span.
//  * GPU work without an op is counted and dropped. Work of ops that are not on the timeline is
//    dropped.
//  * Kernels without a time stamp keep their window, [0, 0).
//  * Device numbers become those of the emulated devices.
//
// `run` must have the spans of the iterations. For live runs use moveBy().
engine::GpuTrace placeOnTimeline(engine::GpuTrace trace, const engine::Run& run,
                                 std::span<const MeasuredWindow> measured);

// Returns the time on CLOCK_MONOTONIC at which the timeline of a live run is 0; nullopt if the
// timeline has no op of `measured`.
std::optional<std::int64_t> originOf(const engine::Run& run,
                                     std::span<const MeasuredWindow> measured);

// Adds `nanoseconds` to the times of all records except kernels without a time stamp.
void moveBy(engine::GpuTrace& trace, std::int64_t nanoseconds);

} // namespace profiler

#pragma once

#include "engine/timeline/gpu_trace.h"
#include "engine/timeline/run.h"

#include <optional>
#include <span>

namespace profiler {

// When the host ran an op, or queued it for a GPU, on CLOCK_MONOTONIC.
struct MeasuredWindow
{
    engine::OpOfIteration of;
    engine::Window wall;
};

// Moves what was measured on the wall clock to where its op is drawn: an emulated op runs at one
// time and is placed at another. The first thing that a GPU did for an op moves to the begin of the
// op's span, and the rest with it; the host's calls keep their distance to the moment when the host
// came to the op, and are cut off at the ends of its span, so that scripts find them within it.
// What a GPU did for no op cannot be placed and goes: tokens that are brought to it, kernels that
// were counted as such. So does what it did for an op that is not on the timeline, which counts as
// dropped. On a live run's timeline nothing but the origin differs: use moveBy(). What ran on the
// one GPU that plays all devices gets the number of the device that it was played for. `run` has
// the spans of the iterations in question.
engine::GpuTrace placeOnTimeline(engine::GpuTrace trace, const engine::Run& run,
                                 std::span<const MeasuredWindow> measured);

// A live run's timeline is CLOCK_MONOTONIC from another moment on: where its 0 is. None: nothing of
// `measured` is drawn.
std::optional<std::int64_t> originOf(const engine::Run& run,
                                     std::span<const MeasuredWindow> measured);

// Every time of the trace, by as much: the timeline's 0 is not the clock's.
void moveBy(engine::GpuTrace& trace, std::int64_t nanoseconds);

} // namespace profiler

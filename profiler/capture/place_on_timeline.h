#pragma once

#include "engine/timeline/gpu_trace.h"
#include "engine/timeline/run.h"

#include <span>

namespace profiler {

// When the host really ran an op, on CLOCK_MONOTONIC.
struct MeasuredWindow
{
    engine::OpOfIteration of;
    engine::Window wall;
};

// Moves what was measured on the wall clock to where its op is drawn: an emulated op runs at one
// time and is placed at another. What a GPU did moves by as much as its op's window moves
// (placed begin - measured begin); the host's calls keep their distance to that begin and are cut
// off at the end of the op's window, so that scripts find them within it. What a GPU did for no op
// in `measured` cannot be placed: it goes, and counts as dropped. On a live run's timeline nothing
// but the origin differs: use moveBy(). `run` has the spans of the iterations in question.
engine::GpuTrace placeOnTimeline(engine::GpuTrace trace, const engine::Run& run,
                                 std::span<const MeasuredWindow> measured);

// Every time of the trace, by as much: the timeline's 0 is not the clock's.
void moveBy(engine::GpuTrace& trace, std::int64_t nanoseconds);

} // namespace profiler

#pragma once

#include "engine/base/result.h"
#include "engine/timeline/run.h"

namespace profiler {

// One iteration of a run's own schedule, placed by the simulator with the median of every op over
// the measured iterations (recordedTimes()); without a measured iteration, over the warm-up ones.
// The ops of the result have the same OpIndex; its iteration begins at 0. Fails with
// Error::Code::InvalidArgument if the run has no iteration or is a stream (Shape::windows).
engine::Result<engine::Run> predictOwn(const engine::Run& run);

} // namespace profiler

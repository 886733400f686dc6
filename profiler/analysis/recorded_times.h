#pragma once

#include "engine/cost/cost_model.h"
#include "engine/timeline/run.h"

#include <optional>
#include <vector>

namespace profiler {

// The duration of each op of a run, indexed by OpIndex: its span in the median iteration or,
// without a median iteration (simulated, live), the median of its spans over the measured
// iterations. A SEND also has the latency of its message. Joint ops have one span, which is divided
// in the ratio of the times that ops of their kind and stage take alone in this run. An op of an
// imported run begins when its inputs have arrived, which includes the time that its host needs.
// nullopt: the op has no span in these iterations.
using RecordedTimes = std::vector<std::optional<engine::OpCosts::Cost>>;
RecordedTimes recordedTimes(const engine::Run& run);

// [iteration][OpIndex] The window of each op in each measured iteration; its end is before its
// begin if the op did not run. As in recordedTimes(), an op of an imported run begins when its
// inputs have arrived, and the window of a SEND ends where its message begins.
std::vector<std::vector<engine::Window>> measuredWindows(const engine::Run& run);

} // namespace profiler

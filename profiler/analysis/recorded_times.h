#pragma once

#include "engine/cost/cost_model.h"
#include "engine/timeline/run.h"

#include <optional>
#include <vector>

namespace profiler {

// [OpIndex] The duration of each op of a run: its span in the median iteration or, if there is none
// (simulated, live), the median of its spans over the measured iterations. For a SEND also the
// latency of its message. Joint ops have one span, which is divided in the ratio of the times that
// ops of their kind and stage take alone in this run. nullopt: the op never ran in such an
// iteration.
using RecordedTimes = std::vector<std::optional<engine::OpCosts::Cost>>;
RecordedTimes recordedTimes(const engine::Run& run);

} // namespace profiler

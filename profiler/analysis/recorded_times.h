#pragma once

#include "engine/cost/cost_model.h"
#include "engine/timeline/run.h"

#include <optional>
#include <vector>

namespace profiler {

// What each op of a run took: its span in the median replay or, where the run has none (simulated,
// live), the median of its spans over the measured iterations; of a SEND also how much later than
// it left its message had arrived. Ops that ran as one have one span: each gets the share that ops
// of its kind and stage have elsewhere in the run, and together they make up the span. [OpIndex];
// none: the op never ran in such an iteration.
using RecordedTimes = std::vector<std::optional<engine::OpCosts::Cost>>;
RecordedTimes recordedTimes(const engine::Run& run);

} // namespace profiler

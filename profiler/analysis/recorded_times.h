#pragma once

#include "engine/cost/cost_model.h"
#include "engine/timeline/run.h"

#include <optional>
#include <vector>

namespace profiler {

// The duration of each op of a run, indexed by OpIndex; nullopt if the op has no span.
//  * If the run has an iteration of typical ops (Replay), the duration is taken from it. Otherwise
//    (simulated, live) it is the median over the measured iterations.
//  * The cost of a SEND also contains the latency of its message.
//  * Joint ops share one span. It is divided among them in proportion to the times that ops of
//    their kind and stage take alone in this run.
//  * In an imported run an op begins when its inputs have arrived, so that its duration includes
//    the time that the host needs to launch it.
using RecordedTimes = std::vector<std::optional<engine::OpCosts::Cost>>;
RecordedTimes recordedTimes(const engine::Run& run);

// Returns for each measured iteration the window of each op, indexed by OpIndex. A stream
// (Shape::windows) is treated as one iteration, because each of its ops runs once. The window of an
// op that did not run ends before it begins. In an imported run an op begins when its inputs have
// arrived, as in recordedTimes(), and a SEND is an empty window at the end of its producer.
std::vector<std::vector<engine::Window>> measuredWindows(const engine::Run& run);

} // namespace profiler

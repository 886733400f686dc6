#pragma once

#include "engine/schedules/scheme.h"

#include <functional>

namespace engine::parts {

// 1F1B over a window of micro-batches, with an update after every `updateEvery` micro-batches.
// version(D, d, n) returns the weight version that forward and backward of micro-batch n use on
// device d.
using VersionRule = std::function<int(int devices, int device, int microBatch)>;
Schedule asynchronousOneForwardOneBackward(const ScheduleRequest& request, int updateEvery,
                                           const VersionRule& version);

// Fails if the request has data parallelism: the scheme does not define how data-parallel pipelines
// sum gradients between updates.
Result<void> checkNoDataParallel(const ScheduleRequest& request);

} // namespace engine::parts

#pragma once

#include "engine/schedules/scheme.h"

#include <functional>

namespace engine::parts {

// 1F1B over a window of micro-batches, with an update after every `updateEvery` of them.
// version(D, d, n) is the weight version that micro-batch n uses on device d, forward and
// backward.
using VersionRule = std::function<int(int devices, int device, int microBatch)>;
Schedule asynchronousOneForwardOneBackward(const ScheduleRequest& request, int updateEvery,
                                           const VersionRule& version);

// Rejects data parallelism: the scheme does not define how replicas sum gradients between
// updates.
Result<void> checkNoDataParallel(const ScheduleRequest& request);

} // namespace engine::parts

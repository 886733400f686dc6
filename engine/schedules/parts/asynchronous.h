#pragma once

#include "engine/schedules/scheme.h"

#include <functional>

namespace engine::parts {

// 1F1B's order over a window of micro-batches, with an update of the weights after every
// `updateEvery` of them; version(D, d, n) is what micro-batch n uses on device d, forwards and
// backwards.
using VersionRule = std::function<int(int devices, int device, int microBatch)>;
Schedule asynchronousOneForwardOneBackward(const ScheduleRequest& request, int updateEvery,
                                           const VersionRule& version);

// What gradients of replicas would do to each other between updates is not defined.
Result<void> checkNoDataParallel(const ScheduleRequest& request);

} // namespace engine::parts

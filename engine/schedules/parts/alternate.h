#pragma once

#include "engine/schedules/scheme.h"

#include <algorithm>
#include <functional>

namespace engine::parts {

// The order of the 1F1B family: min(count, warmUp) forwards, then forwards and backwards
// alternately, then the remaining backwards. forward(k) and backward(k) append the k-th forward or
// backward.
template<class Forward, class Backward>
void alternate(int count, std::int64_t warmUp, Forward forward, Backward backward)
{
    const int first = std::min<std::int64_t>(count, warmUp);
    for (int k = 0; k < first; ++k)
        forward(k);
    for (int k = first; k < count; ++k) {
        forward(k);
        backward(k - first);
    }
    for (int k = count - first; k < count; ++k)
        backward(k);
}

// 1F1B with warmUp(D, d) warm-up forwards.
Schedule oneForwardOneBackward(const ScheduleRequest& request,
                               int (*warmUp)(int devices, int device));

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

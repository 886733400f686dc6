#pragma once

#include "engine/schedules/scheme.h"

#include <algorithm>

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

} // namespace engine::parts

#pragma once

#include "engine/schedules/scheme.h"

#include <algorithm>

namespace engine::parts {

// The order behind the whole 1F1B family: min(count, warmUp) forwards, then one forward and one
// backward in turn, then the backwards that are left. forward(k) and backward(k) write the k-th of
// `count`.
template<class Forward, class Backward>
void inTurn(int count, std::int64_t warmUp, Forward forward, Backward backward)
{
    const int first = static_cast<int>(std::min<std::int64_t>(count, warmUp));
    for (int k = 0; k < first; ++k)
        forward(k);
    for (int k = first; k < count; ++k) {
        forward(k);
        backward(k - first);
    }
    for (int k = count - first; k < count; ++k)
        backward(k);
}

// 1F1B with as many warm-up forwards as the scheme wants: warmUp(D, d).
Schedule oneForwardOneBackward(const ScheduleRequest& request,
                               int (*warmUp)(int devices, int device));

} // namespace engine::parts

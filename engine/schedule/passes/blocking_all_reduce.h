#pragma once

#include "engine/schedule/schedule.h"

#include <span>
#include <vector>

namespace engine {

// The position of an all-reduce among the ops of its device, and its rank in the order common to
// all devices.
struct AllReducePlace
{
    Op op;
    std::size_t behind = 0; // number of ops of the device before it
    std::size_t order = 0;
};
using AllReducePlaces = IdVector<DeviceId, std::vector<AllReducePlace>>;

// SyncPolicy::EagerBlocking, the rule of BitPipe's code (Wu, Chen and Yu, 2024). Stages of the
// second half of the model are reduced directly before the last backward of their device; all other
// stages are reduced after it. The one or two middle devices reduce all stages after it. An
// all-reduce is also placed after the last backward if that backward contributes to the reduced
// gradient. If waiting before the last backward would deadlock, all all-reduces are placed after
// it.
AllReducePlaces placeBlocking(const Schedule& schedule);

// Returns the position of the first OPT of a device, which a schedule file can have; the end if
// there is none. No OPT may precede the all-reduce for which it waits.
std::size_t firstStep(std::span<const Op> ops);

// The ops of a device with its all-reduces inserted.
std::vector<Op> withAllReduces(const std::vector<Op>& ops, std::vector<AllReducePlace> places);

} // namespace engine

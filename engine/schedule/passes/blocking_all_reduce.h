#pragma once

#include "engine/schedule/schedule.h"

namespace engine {

// Where an all-reduce stands among the ops of its device, and its rank in the order that all
// devices keep.
struct AllReducePlace
{
    Op op;
    std::size_t behind = 0; // goes behind this many ops of the device
    std::size_t order = 0;
};

// SyncPolicy::EagerBlocking, the rule of BitPipe's code (Wu, Chen and Yu, 2024): the stages in the
// second half of the model are reduced just before the last backward of their devices, the others
// behind it; on the one or two devices in the middle all behind it. Stages to whose gradients the
// last backward of a device adds come behind it, too, and all do where waiting in front of it would
// last for ever. [device]
std::vector<std::vector<AllReducePlace>> placeBlocking(const Schedule& schedule);

// The ops of a device with its all-reduces in their places.
std::vector<Op> withAllReduces(const std::vector<Op>& ops, std::vector<AllReducePlace> places);

} // namespace engine

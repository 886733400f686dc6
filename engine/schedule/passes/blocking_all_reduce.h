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
    std::size_t behind = 0; // number of ops before the all-reduce
    std::size_t order = 0;
};
using AllReducePlaces = IdVector<DeviceId, std::vector<AllReducePlace>>;

// SyncPolicy::EagerBlocking, the rule of BitPipe's code (Wu, Chen and Yu, 2024). Stages of the
// second half of the model are reduced directly before the last backward of their device, all other
// stages after that backward. The one or two middle devices reduce all stages after their last
// backward, and so does every device for a stage whose gradient the last backward contributes to.
// If waiting before the last backward would deadlock, all all-reduces are placed after the last
// backward.
AllReducePlaces placeBlocking(const Schedule& schedule);

// The end if a device has no OPT (from a schedule file). Late all-reduces are inserted at this
// position, before the OPTs that wait for them.
std::size_t firstStep(std::span<const Op> ops);

// The position after the op before `position`, the ops that are joint with it and the sends that
// follow.
std::size_t afterSends(std::span<const Op> ops, std::size_t position);
// The ops of a device with its all-reduces inserted.
std::vector<Op> withAllReduces(const std::vector<Op>& ops, std::vector<AllReducePlace> places);

} // namespace engine

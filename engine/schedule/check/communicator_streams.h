#pragma once

#include "engine/schedule/check/message_order.h"

namespace engine {

// The devices that share a communicator. Activations and gradients always have separate
// communicators.
enum class Ranks : std::uint8_t {
    All,  // all devices, with one communicator per direction of the pipeline (down, up)
    Pair, // one sender and one receiver
};

// Executes the schedule without times as NCCL would and returns the device that waits forever, if
// any. Each device has a compute stream, an all-reduce stream and a stream per communicator; a
// stream executes its ops in order. Ops of one stream between two compute ops form a group
// (ncclGroupStart, ncclGroupEnd): the group starts when its inputs are computed, and ends when the
// other end of each of its transfers has started. A compute op waits for the groups that receive
// its inputs; receive buffers are always free. Requires a valid schedule with transfers. Call
// findOrderFault() first: transfers are matched by name here, but by order in NCCL.
std::optional<TransportFault> findStreamFault(const Schedule& lowered, Ranks ranks);

// Returns the reason why NCCL cannot execute this schedule: the two ends of a communicator list its
// messages in different orders, or devices wait forever. There is one communicator for activations
// and one for gradients per directed pair of devices. (With one communicator for all devices, ring
// and V-shaped placements deadlock: a device sends for its first stage while it should receive for
// its second.)
std::optional<TransportFault> findNcclFault(const Schedule& lowered);

} // namespace engine

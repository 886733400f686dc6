#pragma once

#include "engine/schedule/check/message_order.h"

namespace engine {

// Which devices are ranks of one communicator that carries messages, activations and gradients
// apart.
enum class Ranks : std::uint8_t {
    All,  // all of them, one communicator for each direction of the pipeline (down, up)
    Pair, // two: one that sends and one that receives
};

// Runs the schedule without time as NCCL would carry it, and says who waits for ever, if anybody
// does; none: it comes to its end. Each device has a compute lane, an all-reduce lane, and a lane
// for each communicator. A lane works through its ops in their order. What of one lane stands
// between two compute ops goes together (ncclGroupStart, ncclGroupEnd): it starts when what is sent
// has been computed, and ends when the other end of every transfer in it has started. A compute op
// waits for the groups it receives from; nothing waits for the room where a message goes. Takes a
// valid schedule with its transfers; ask findOrderFault() first, since transfers meet here by name
// and in NCCL by their order.
std::optional<TransportFault> findLaneFault(const Schedule& lowered, Ranks ranks);

// Both: why NCCL cannot carry this schedule with a communicator for each directed pair of devices
// and kind. (With all devices in one, rings and V-shaped placements wait for ever: a device sends
// on its first stage while it should receive for its second.)
std::optional<TransportFault> findNcclFault(const Schedule& lowered);

} // namespace engine

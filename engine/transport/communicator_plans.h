#pragma once

#include "engine/backend/communicators.h"
#include "engine/transport/transport.h"

#include <cstddef>
#include <vector>

namespace engine {

// The communicators for transports that match calls by order (NCCL): one per directed pair of
// devices and kind of message, in order of first use, then one per all-reduce of several devices. A
// device is one rank of an all-reduce even if it has several buffers.
struct CommunicatorPlans
{
    // The index of an all-reduce within one device, which needs no communicator.
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    std::vector<CommunicatorPlan> all;
    std::vector<std::size_t> ofMessage, ofSum; // [message], [collective]: index in `all`
};

// Reads the devices of the traffic, not its buffers.
CommunicatorPlans planCommunicators(const Traffic& traffic);

} // namespace engine

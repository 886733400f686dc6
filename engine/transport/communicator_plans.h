#pragma once

#include "engine/backend/communicators.h"
#include "engine/transport/transport.h"

#include <cstddef>
#include <vector>

namespace engine {

// The communicators for transports that match calls by order (NCCL). For each directed pair of
// devices there is one for activations and one for gradients, in order of first use. They are
// followed by one for all-reduces per stage and set of devices. A device is one rank of an
// all-reduce even if it has several buffers.
struct CommunicatorPlans
{
    // Marks an all-reduce within one device, which needs no communicator.
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    std::vector<CommunicatorPlan> all;
    std::vector<std::size_t> ofMessage, ofSum; // [message], [collective]: index in `all`
};

// Uses only the devices of the traffic, not the buffers.
CommunicatorPlans planCommunicators(const Traffic& traffic);

} // namespace engine

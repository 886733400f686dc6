#pragma once

#include "engine/backend/communicators.h"
#include "engine/transport/transport.h"

#include <cstddef>
#include <vector>

namespace engine {

// The communicators over which traffic goes where messages and sums are matched by their order: one
// for each directed pair of devices and kind of message, in the order in which they are first
// needed, then one for each sum of several devices. Ranks of a sum are its devices, each once.
struct CommunicatorPlans
{
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1); // a sum within one device

    std::vector<CommunicatorPlan> all;
    std::vector<std::size_t> ofMessage, ofSum; // [message], [collective]: index in `all`
};

// Of the devices alone: no buffer of the traffic is looked at.
CommunicatorPlans planCommunicators(const Traffic& traffic);

} // namespace engine

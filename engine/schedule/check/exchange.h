#pragma once

#include "engine/schedule/check/message_order.h"

namespace engine {

enum class Exchange : std::uint8_t {
    OneByOne, // every transfer is posted and waited for separately
    Fused,    // the transfers between two compute ops are posted and waited for together
};

// Executes the schedule without times, with rendezvous transfers, and returns the devices that
// wait for each other; none if the schedule finishes.
std::optional<TransportFault> findExchangeFault(const Schedule& lowered, Exchange exchange);

} // namespace engine

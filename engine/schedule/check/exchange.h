#pragma once

#include "engine/schedule/check/message_order.h"

namespace engine {

enum class Exchange : std::uint8_t {
    OneByOne, // every transfer is posted and waited for separately
    Fused,    // the transfers between two compute ops are posted and waited for together
};

// Executes the schedule without times, with transfers that block until both ends have called.
// Returns an op at which devices wait for each other; nullopt if the schedule finishes.
std::optional<TransportFault> findExchangeFault(const Schedule& lowered, Exchange exchange);

} // namespace engine

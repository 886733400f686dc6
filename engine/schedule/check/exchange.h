#pragma once

#include "engine/schedule/check/message_order.h"

namespace engine {

enum class Exchange : std::uint8_t {
    OneByOne, // every transfer is called and waited for by itself
    Fused,    // the transfers between two compute ops are called together, and waited for together
};

// Runs the schedule without time, with transfers for which both ends must have come (rendezvous),
// and says which devices wait for each other for ever; none: it comes to its end.
std::optional<TransportFault> findExchangeFault(const Schedule& lowered, Exchange exchange);

} // namespace engine

#pragma once

#include "engine/schedule/check/op_table.h"

#include <optional>
#include <string>

namespace engine {

// The op at which a transport fails, and the reason.
struct TransportFault
{
    OpPlace place;
    std::string reason;
};

enum class Communicators : std::uint8_t { One, PerKind };

// The first message between two devices whose receive is at another position than its send.
// Positions count all messages (One), or activations and gradients separately (PerKind). Without
// tags such a receive gets another message.
std::optional<TransportFault> findOrderFault(const Schedule& lowered, Communicators communicators);

} // namespace engine

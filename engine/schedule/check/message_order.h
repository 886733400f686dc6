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

// Returns the first message between two devices whose position differs between the sends and the
// receives. Positions count all messages (One), or activations and gradients separately (PerKind).
// Without tags, the receive at that position would get another message.
std::optional<TransportFault> findOrderFault(const Schedule& lowered, Communicators communicators);

} // namespace engine

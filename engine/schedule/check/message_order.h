#pragma once

#include "engine/schedule/check/op_table.h"

#include <optional>
#include <string>

namespace engine {

// Where a way to carry messages fails, and why.
struct TransportFault
{
    OpPlace place;
    std::string reason;
};

enum class Communicators : std::uint8_t { One, PerKind };

// The first message of a directed pair of devices that is received in another place of the order
// than it was sent, all messages together or activations and gradients by themselves. Without tags
// the receive would get another message.
std::optional<TransportFault> findOrderFault(const Schedule& lowered, Communicators communicators);

} // namespace engine

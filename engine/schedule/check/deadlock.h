#pragma once

#include "engine/schedule/check/validate.h"

#include <optional>

namespace engine {

enum class DeadlockKind : std::uint8_t {
    Cycle, // reports only devices that wait for each other
    Any,   // also reports an op that waits for a value that is never produced
};

// Executes the schedule without times and, if devices wait forever, returns the reason. Ops that
// precede their input on the same device (Violation::Kind::Order) and ops outside the shape are not
// reported.
std::optional<Violation> findDeadlock(const Schedule& schedule, DeadlockKind kind);

} // namespace engine

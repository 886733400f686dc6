#pragma once

#include "engine/schedule/check/validate.h"

#include <optional>

namespace engine {

enum class Stuck : std::uint8_t {
    InCircle, // only if devices wait for each other
    Anyhow,   // also if an op waits for a value that is never produced
};

// Executes the schedule without times and, if devices wait forever, returns the reason. Ops that
// precede their input on the same device (Violation::Kind::Order) and ops outside the shape are not
// reported.
std::optional<Violation> findDeadlock(const Schedule& schedule, Stuck stuck);

} // namespace engine

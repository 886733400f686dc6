#pragma once

#include "engine/schedule/check/validate.h"

#include <optional>

namespace engine {

enum class Stuck : std::uint8_t {
    InCircle, // devices that wait for each other
    Anyhow,   // also for something that is never made
};

// Runs the schedule without time and says why devices wait for ever, if they do. An op before its
// own input on one device is a matter of order and not seen here, nor are ops that fit no stage.
std::optional<Violation> findDeadlock(const Schedule& schedule, Stuck stuck);

} // namespace engine

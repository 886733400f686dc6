#pragma once

#include "engine/schedule/schedule.h"

#include <string>
#include <vector>

namespace engine {

struct Violation
{
    enum class Kind : std::uint8_t {
        Missing, // a required op is missing
        Duplicate,
        OutOfRange,  // stage, micro-batch, replica or device does not exist
        WrongDevice, // the device does not hold the op's stage
        // An op precedes an op on the same device whose result it needs, or is marked as joint
        // although no compute op follows it.
        Order,
        Stash, // a stash is not on the device when it is used, or a device holds too many stashes
        // A weight version is used before it is created, or a backward uses another version than
        // its forward.
        Version,
        Deadlock, // devices wait forever; `message` describes the cycle
    };

    Kind kind = Kind::Missing;
    DeviceId device;
    int index = -1; // position in the device's program; -1 for Missing
    Op op;
    std::string message; // names device, index, op and what it waits for

    friend bool operator==(const Violation&, const Violation&) = default;
};

// Returns all violations, sorted by device and index. If there are none, the schedule is complete,
// every op follows its inputs, stashes and weight versions are available when used, and no device
// waits forever. Stash limits (stash_check.h) and message order (communication.h) are checked
// separately.
std::vector<Violation> validate(const Schedule& schedule);

// Draws the schedule around an op for error messages: one row per device, with `window` ops before
// and after `index`, which is marked on `device`.
std::string gridAround(const Schedule& schedule, DeviceId device, int index, int window = 4);

} // namespace engine

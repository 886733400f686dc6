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
        Order,       // an op precedes an op of its own device whose result it needs
        Stash,       // the stash of an op is evicted, freed or not yet created; or too many stashes
        Version,     // a weight version is not yet created, or differs from that of the forward
        Deadlock,    // devices wait forever; `message` has the cycle
    };

    Kind kind = Kind::Missing;
    DeviceId device;
    int index = -1; // position in the device's list; -1 for Missing
    Op op;
    std::string message; // names device, index, op and what it waits for

    friend bool operator==(const Violation&, const Violation&) = default;
};

// All violations, sorted by device and index. If empty, the schedule is complete, every op
// follows its inputs, stashes and weight versions are available when used, and no device waits
// forever. Stash limits (stash_check.h) and message order (communication.h) are separate checks.
std::vector<Violation> validate(const Schedule& schedule);

// The schedule around an op, for errors: one row per device, with `window` ops around `index` of
// `device`, which is marked.
std::string gridAround(const Schedule& schedule, DeviceId device, int index, int window = 4);

} // namespace engine

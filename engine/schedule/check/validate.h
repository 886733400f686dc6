#pragma once

#include "engine/schedule/schedule.h"

#include <string>
#include <vector>

namespace engine {

struct Violation
{
    enum class Kind : std::uint8_t {
        Missing, // an op that must be there is not
        Duplicate,
        OutOfRange,  // stage, micro-batch, replica or device does not exist
        WrongDevice, // a stage's op on a device that does not hold the stage
        Order,       // an op before what it consumes, on its own device
        Stash,       // an op whose stash is away, freed or not made; or more stashes than allowed
        Version,     // a weight version that is not made yet, or not the one of the forward
        Deadlock,    // waits for ever: the cycle is in `message`
    };

    Kind kind = Kind::Missing;
    DeviceId device;
    int index = -1; // position in the device's list; -1 for Missing
    Op op;
    std::string message; // names device, index, op, and what it waits for

    friend bool operator==(const Violation&, const Violation&) = default;
};

// Every violation, in order of device and index. Empty: the schedule is complete, each op comes
// after what it consumes, stashes are at home and weight versions made when they are used, and no
// device waits for ever. A limit on stashes is the caller's to check (stash_check.h), the order of
// messages too (communication.h).
std::vector<Violation> validate(const Schedule& schedule);

// The schedule as a grid, one row a device, `window` ops around `index` of `device` marked: for
// errors.
std::string gridAround(const Schedule& schedule, DeviceId device, int index, int window = 4);

} // namespace engine

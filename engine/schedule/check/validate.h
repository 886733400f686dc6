#pragma once

#include "engine/schedule/schedule.h"

#include <optional>
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

// Sorted by device and index. Without violations, the schedule is complete, every op follows its
// inputs, stashes and weight versions are available when used, and no device waits forever. Stash
// limits (checkStashLimit()) and message order (communication.h) are checked separately.
std::vector<Violation> validate(const Schedule& schedule);

// Draws the schedule around an op for error messages: one row per device, with `window` ops before
// and after `index`, which is marked on `device`.
std::string gridAround(const Schedule& schedule, DeviceId device, int index, int window = 4);

enum class DeadlockKind : std::uint8_t {
    Cycle, // reports only devices that wait for each other
    Any,   // also reports an op that waits for a value that is never produced
};

// Executes the schedule without times and, if devices wait forever, returns the reason. Ops that
// precede their input on the same device (Violation::Kind::Order) and ops outside the shape are not
// reported.
std::optional<Violation> findDeadlock(const Schedule& schedule, DeadlockKind kind);

// Follows every stash: F creates it, EVICT moves it to the partner, LOAD moves it back, RECOMPUTE
// and B or I use it, B or W frees it. Reports ops whose stash is evicted, freed or not yet created,
// and EVICT and LOAD ops without a stash to move. Skips ops outside the shape.
std::vector<Violation> checkStashes(const Schedule& schedule);

// Reports devices whose peak stash, StashPeak::own + guests, exceeds `limit` parts.
std::vector<Violation> checkStashLimit(const Schedule& schedule, std::int64_t limit);

} // namespace engine

#pragma once

#include "engine/base/clock.h"

#include <algorithm>

namespace engine {

// The clock of a timeout, in ns. It follows the wall clock while it is read often. A long gap
// between two reads means that this process was not scheduled (Ctrl-Z, a debugger, an overloaded
// machine); such a gap adds only kLongestStep, so that the timeout does not expire. Not
// thread-safe.
class PatientClock
{
public:
    static constexpr std::int64_t kLongestStep = 40'000'000; // callers read the clock every 20 ms

    explicit PatientClock(std::int64_t wall = wallTime())
        : m_wall(wall)
    { }

    // Returns the time since construction.
    std::int64_t look(std::int64_t wall = wallTime())
    {
        m_passed += std::min(wall - m_wall, kLongestStep);
        m_wall = wall;
        return m_passed;
    }

private:
    std::int64_t m_wall, m_passed = 0;
};

} // namespace engine

#pragma once

#include "engine/base/clock.h"

#include <algorithm>

namespace engine {

// A clock in ns for time-outs. It follows the wall clock while it is read often. A long interval
// between two reads means that this process was not running either (Ctrl-Z, a debugger, an
// overloaded machine), and counts as a short one, so that it causes no time-out. One thread.
class PatientClock
{
public:
    static constexpr std::int64_t kLongestStep = 40'000'000; // callers read it at least every 20 ms

    explicit PatientClock(std::int64_t wall = wallTime())
        : m_wall(wall)
    { }

    // Time since construction.
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

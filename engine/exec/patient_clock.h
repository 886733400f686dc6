#pragma once

#include "engine/base/clock.h"

#include <algorithm>

namespace engine {

// The time in which somebody could have come, for whoever waits and must give up one day; ns. It
// goes with the wall clock while it is looked at often. A longer while between two looks is one in
// which this process had no turn either (stopped by Ctrl-Z or a debugger, a machine that is much
// too busy), and counts as a short one: nobody is given up for it. Used by one thread.
class PatientClock
{
public:
    static constexpr std::int64_t kLongestStep = 40'000'000; // its users look every 20 ms or sooner

    explicit PatientClock(std::int64_t wall = wallTime())
        : m_wall(wall)
    { }

    // Since it was made.
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

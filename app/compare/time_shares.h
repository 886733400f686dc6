#pragma once

#include "engine/schedule/schedule.h"
#include "profiler/analysis/compare.h"

#include <vector>

namespace app {

// One part of an iteration's time in ticks, averaged over devices. The parts add up to the
// iteration.
struct TimeShare
{
    enum class Kind : int { Compute, Exposed, Optimizer, Bubble };

    Kind kind = Kind::Compute;
    engine::OpKind op = engine::OpKind::Forward; // for Kind::Compute; selects the colour
    double ticks = 0;

    friend bool operator==(const TimeShare&, const TimeShare&) = default;
};

// Returns forward, backward (or I and W), recompute, exposed communication, optimizer and bubble,
// without the parts that take no time.
std::vector<TimeShare> timeShares(const profiler::ComparedRun& run);

} // namespace app

#pragma once

#include "engine/schedule/schedule.h"
#include "profiler/analysis/compare.h"

#include <vector>

namespace app {

// Where the time of a mean device goes: parts of one iteration that add up to it. Ticks.
struct TimeShare
{
    enum class Kind : int { Compute, Exposed, Optimizer, Bubble };

    Kind kind = Kind::Compute;
    engine::OpKind op = engine::OpKind::Forward; // of kind Compute: which colour
    double ticks = 0;

    friend bool operator==(const TimeShare&, const TimeShare&) = default;
};

// Forward, backward (or its halves), recompute, exposed communication, optimizer, bubble; parts
// that take no time are left out.
std::vector<TimeShare> timeShares(const profiler::ComparedRun& run);

} // namespace app

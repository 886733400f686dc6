#pragma once

#include "engine/schedule/schedule.h"
#include "profiler/analysis/compare.h"

#include <vector>

namespace app {

// One part of an iteration's time, averaged over devices; the parts add up to the iteration. Ticks.
struct TimeShare
{
    enum class Kind : int { Compute, Exposed, Optimizer, Bubble };

    Kind kind = Kind::Compute;
    engine::OpKind op = engine::OpKind::Forward; // of kind Compute: selects the colour
    double ticks = 0;

    friend bool operator==(const TimeShare&, const TimeShare&) = default;
};

// Forward, backward (or its halves), recompute, exposed communication, optimizer, bubble; omits
// parts without time.
std::vector<TimeShare> timeShares(const profiler::ComparedRun& run);

} // namespace app

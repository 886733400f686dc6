#pragma once

#include "profiler/analysis/ranking/ranking.h"

#include <string>
#include <vector>

namespace profiler {

// The parts of an iteration, as means over the devices of a run, in ticks. They add up to the
// iteration. ARCHITECTURE.md, "What every number means", defines them.
struct TimeParts
{
    double fill = 0, wait = 0, communication = 0, drain = 0; // `communication` is the exposed part
    double compute = 0, optimizer = 0;                       // `compute` excludes the optimizer

    double idle() const { return fill + wait + communication + drain; }
};
TimeParts timeParts(const ComparedRun& run);

// Why the first run of a ranking is faster than the baseline: which parts of its iteration are
// shorter, and what that costs (longer parts, more memory). If the first run is the baseline, it is
// compared with the second run.
struct WinReason
{
    std::string sentence; // "" if there are fewer than two runs to compare
    std::string numbers;  // "drain 5.4 -> 0.3 ms against 1F1B"; "" if no part is shorter
    bool isClear = true;  // false: the intervals of the first two runs overlap
};
// `ranking` must be by RankBy::Iteration with the best run first.
WinReason whyFirst(const Comparison& comparison, const Ranking& ranking);

} // namespace profiler

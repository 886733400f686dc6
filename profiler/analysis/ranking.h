#pragma once

#include "profiler/analysis/compare.h"

#include <optional>
#include <string>
#include <vector>

namespace profiler {

// The criterion of a ranking. Iteration: the time of an iteration, or the time per token if the
// iterations process different numbers of tokens.
enum class RankBy { Iteration, Bubble, Peak, Messages, Name };
enum class RankOrder { BestFirst, WorstFirst };

// The runs of a comparison in order. Only runs with the same mode and unit are ranked against each
// other: they form one list. The list of the baseline comes first.
struct Ranking
{
    // A tie: the 95 % intervals of the runs at the positions `first` to `last` of `order` all
    // overlap.
    struct Tie
    {
        std::size_t first = 0, last = 0;
        friend bool operator==(const Tie&, const Tie&) = default;
    };

    std::vector<std::size_t> order; // indices of runs
    std::vector<int> rank;          // the rank of each run in its list; 1 is the best
    std::vector<std::size_t> lists; // indices into `order` at which the lists begin
    std::vector<Tie> ties;          // only for RankBy::Iteration
    bool isPerToken = false;        // whether the criterion was the time per token
};
Ranking rankRuns(const Comparison& comparison, RankBy by, RankOrder order = RankOrder::BestFirst);

// Peak memory in bytes, or the peak stash in M_a if no bytes were recorded; nullopt if unknown.
std::optional<double> peakOf(const ComparedRun& run);

// Returns for each run whether it is on the Pareto front of iteration time and peak memory. For a
// run on the front, no other run is better in one of the two without being worse in the other. The
// result is false for runs of unknown memory, and for runs that are not in the list of the
// baseline, because they cannot be compared with the baseline.
std::vector<bool> paretoFront(const Comparison& comparison);

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

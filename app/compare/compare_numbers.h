#pragma once

#include "app/compare/op_times.h"
#include "app/ui/numbers.h"
#include "profiler/analysis/ranking.h"

#include <QStringList>

#include <memory>
#include <vector>

namespace app {

// The numbers of the compared runs and their order.
struct CompareNumbers
{
    profiler::Comparison comparison;
    std::vector<OpTimes> ops; // one per run, for its reported iteration
    profiler::RankBy by = profiler::RankBy::Iteration;
    profiler::RankOrder direction = profiler::RankOrder::BestFirst;
    profiler::Ranking ranking; // sorted by `by` in `direction`

    // The largest peak memory of all runs, in bytes and in units of M_a; at least 1 in either unit.
    double largestBytes() const;
    double largestStash() const;
    bool hasBytes() const; // whether any run states bytes
    Scale bytes() const { return byteScale(static_cast<std::int64_t>(largestBytes())); }
    // The unit of the baseline's times.
    Scale time() const;
    // Converts a time of a run to time(). The result is meaningless if isInUnitOfBaseline() is
    // false.
    double inTime(std::size_t run, double ticks) const;

    // Why the run with the shortest iteration is faster than the baseline.
    profiler::WinReason reason() const;
    bool isInUnitOfBaseline(std::size_t run) const;
    // Returns the runs to show, each once, in this order:
    //  * at most `most` runs with the mode and unit of the baseline, those with the shortest
    //    iterations;
    //  * `current`, if its times have the unit of the baseline;
    //  * the baseline.
    std::vector<std::size_t> bestAndBaseline(std::size_t most, int current) const;
};
using CompareNumbersPointer = std::shared_ptr<const CompareNumbers>;

// Compares the runs and ranks them by iteration time. A run whose label is not unique is named by
// its entry in `titles`, which may be empty. May be called on any thread. Fails if a run has no
// iteration.
engine::Result<CompareNumbers> compareNumbers(const std::vector<const engine::Run*>& runs,
                                              std::size_t baseline, const QStringList& titles = {});
// Returns the same numbers with another ranking of the runs.
CompareNumbersPointer rankedBy(const CompareNumbers& numbers, profiler::RankBy by,
                               profiler::RankOrder direction);

} // namespace app

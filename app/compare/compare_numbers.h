#pragma once

#include "app/documents/run_document.h"
#include "app/ui/numbers.h"
#include "app/ui/table_roles.h"
#include "engine/base/result.h"
#include "engine/schedule/schedule.h"
#include "engine/timeline/run.h"
#include "profiler/analysis/ranking.h"
#include "profiler/analysis/run_measures.h"

#include <QStringList>

#include <memory>
#include <optional>
#include <vector>

namespace app {

// How the runs are named, one entry per run.
struct RunNames
{
    QStringList titles; // "BitPipe #2"
    QStringList files;  // paths; "" if not saved
};

// For each kind of op, the sorted durations of its ops in one iteration, in ticks.
using OpTimes = engine::EnumArray<engine::OpKind, std::vector<std::int64_t>, engine::kOpKinds>;

// The numbers of the compared runs and their order.
struct CompareNumbers
{
    std::vector<RunPointer> runs;
    profiler::Comparison comparison;
    std::vector<OpTimes> ops; // one per run, for its reported iteration
    profiler::RankBy by = profiler::RankBy::Iteration;
    profiler::RankOrder direction = profiler::RankOrder::BestFirst;
    profiler::Ranking ranking; // sorted by `by` in `direction`
    profiler::Verdict verdict;

    // The largest peak memory of all runs, in bytes and in units of M_a; at least 1 in either unit.
    double largestBytes() const;
    double largestStash() const;
    bool hasBytes() const; // whether any run states bytes
    Scale bytes() const { return byteScale(static_cast<std::int64_t>(largestBytes())); }
    // The unit of the baseline's times. With different numbers of tokens, timeUnit() names both.
    Scale time() const;
    QString timeUnit() const; // "ms", "ms per 1000 tokens"
    // Converts a time of a run to time(), per 1000 tokens if the comparison is. The result is
    // meaningless if isInUnitOfBaseline() is false.
    double inTime(std::size_t run, double ticks) const;
    // The unit in which the column of a measure shows its amounts.
    Scale scale(const profiler::MeasureInfo& measure) const;
    // A time of a run whose unit is not that of the others, in its own unit.
    QString inOwnUnit(std::size_t run, const profiler::Amount& time) const;
    // Better, worse, or neutral if the change is not worth a colour.
    Verdict colour(const profiler::MeasureInfo& measure, std::size_t run) const;
    // "\u221216.8 to \u221210.5", "exact", "spread unknown"
    QString spreadText(const profiler::MeasureInfo& measure, const profiler::Change& of) const;

    bool isInUnitOfBaseline(std::size_t run) const
    {
        return comparison.haveOneUnit(run, comparison.baseline);
    }
};
// A heading: the title, and the unit unless it is "".
QString withUnit(const QString& title, const QString& unit);
using CompareNumbersPointer = std::shared_ptr<const CompareNumbers>;

const profiler::Measure<profiler::ReportedRun>& comparedMeasure(std::string_view key);

// The bubble share of a device; nullopt without a trace.
std::optional<double> deviceBubble(const engine::Run& run, const profiler::RunMetrics& metrics,
                                   const profiler::DeviceMetrics& device);

// Compares the runs and ranks them by iteration time. A run whose label is not unique is named by
// its entry in `titles`, which may be empty. May be called on any thread. Fails if a run has no
// iteration.
engine::Result<CompareNumbers> compareNumbers(const std::vector<RunPointer>& runs,
                                              std::size_t baseline, const QStringList& titles = {});
CompareNumbersPointer rankedBy(const CompareNumbers& numbers, profiler::RankBy by,
                               profiler::RankOrder direction);

} // namespace app

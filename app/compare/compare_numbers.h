#pragma once

#include "app/documents/run_document.h"
#include "app/figures/scene_view.h"
#include "app/ui/table_model.h"
#include "app/ui/text.h"
#include "engine/base/result.h"
#include "engine/schedule/schedule.h"
#include "engine/timeline/run.h"
#include "profiler/analysis/ranking.h"
#include "profiler/analysis/run_measures.h"
#include "profiler/study/chart_kit.h"

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
    bool hasBytes() const; // whether memory is in bytes, as that of the baseline, or in M_a
    Scale bytes() const { return byteScale(static_cast<std::int64_t>(largestBytes())); }
    // The unit of the baseline's times. With different numbers of tokens, timeUnit() names both.
    Scale time() const;
    QString timeUnit() const // "ms", "ms per 1000 tokens"
    {
        return comparison.isPerToken ? QStringLiteral("%1 per 1000 tokens").arg(time().unit())
                                     : time().unit();
    }
    // Converts a time of a run to time(), per 1000 tokens if the comparison is. The result is
    // meaningless if isInUnitOfBaseline() is false.
    double inTime(std::size_t run, double ticks) const;
    // The unit in which the column of a measure shows its amounts.
    Scale scale(const profiler::MeasureInfo& measure) const;
    // A measure of a run in scale(), or a time in the run's own unit if that is not the baseline's.
    QString text(const profiler::MeasureInfo& measure, std::size_t run) const;
    // Better, worse, or neutral if the change is not worth a colour.
    Verdict colour(const profiler::MeasureInfo& measure, std::size_t run) const;
    // "\u221216.8 to \u221210.5", "exact", "spread unknown"
    QString spreadText(const profiler::MeasureInfo& measure, const profiler::Change& of) const;

    bool isInUnitOfBaseline(std::size_t run) const
    {
        return comparison.haveOneUnit(run, comparison.baseline);
    }
};
QString differencesText(const Scale& scale,
                        const profiler::Amount& by); // "\u221216.8 to \u221210.5"
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

// The charts of a comparison. Each is a function that returns a scene, so that the window, PDF and
// SVG draw the same chart. The point of a mark is the index of a run. `titles` has one title per
// run.

using profiler::BarRow;
profiler::MarkedScene barChart(const QString& title, const std::vector<BarRow>& rows,
                               const Scale& unit, const ChartLook& look);

// The idle time of each run by cause, for the eight best runs, the current one, the baseline and,
// below a line, those with older weights.
std::vector<BarRow> causeRows(const CompareNumbers& numbers, const QStringList& titles, int current,
                              const profiler::Palette& palette);
// The time of a run by category, averaged over its devices, in `time`; the parts add up to the
// iteration. Parts that take no time are left out.
BarRow timeRow(std::size_t run, const QString& title, const profiler::ComparedRun& of,
               const Scale& time, const profiler::Palette& palette);
// In the unit of the comparison, per 1000 tokens if the comparison is.
BarRow timeRow(const CompareNumbers& numbers, std::size_t run, const QStringList& titles,
               const profiler::Palette& palette);

// Iteration time against peak memory with 95 % intervals. Filled points, joined by a line, are the
// Pareto front. Schemes with older weights are open squares and never on it.
profiler::MarkedScene paretoChart(const CompareNumbers& numbers, const QStringList& titles,
                                  int current, const ChartLook& look);

// A histogram of the durations of one kind of op, for a run (bars) and the baseline (outline).
struct Histogram
{
    const CompareNumbers& numbers;
    int run = -1; // -1: only the baseline
    engine::OpKind kind = engine::OpKind::Forward;

    std::pair<double, double> range() const; // least and largest duration, in the unit of the times
    // The share of the ops of `of` in each of 40 bins of equal width; the shares add up to 1. Empty
    // if the run has no such op.
    std::vector<double> shares(std::size_t of) const;
};
std::vector<engine::OpKind> histogramKinds(const CompareNumbers& numbers); // that occur in any run
profiler::MarkedScene durationsChart(const Histogram& histogram, const QStringList& titles,
                                     const ChartLook& look);

// The text of the bar, point or histogram of a run, for a tooltip or a screen reader.
QString barText(const BarRow& row, const Scale& unit);
QString pointText(const CompareNumbers& numbers, const QStringList& titles, std::size_t run);

} // namespace app

#pragma once

#include "app/compare/compare_numbers.h"
#include "app/figures/scene_view.h"
#include "profiler/study/chart_kit.h"

#include <QStringList>

#include <vector>

namespace app {

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

#pragma once

#include "profiler/analysis/compare.h"
#include "profiler/analysis/run_measures.h"

#include <string>
#include <string_view>
#include <vector>

namespace profiler {

// A number of one run among the runs of a history, which are ordered by their start.
struct HistoryPoint
{
    std::optional<Amount> value; // in the unit of the measure, times in ticks; nullopt: unknown
    // From the run before; nullopt: this is the first run, a number is unknown, or see `conditions`
    std::optional<Change> change;
    // What else differs from the run before, so that the change is not that of the code: "scheme,
    // N". "": nothing.
    std::string conditions;
    bool isMeasuredApart = false; // from the run before, so that drift is not in the interval
};

// The measures of which a history can be made: those with differences in a comparison.
std::vector<const Measure<ReportedRun>*> historyMeasures();

// `before` is the run before, or nullptr. Fails as compare() does.
engine::Result<HistoryPoint> historyPoint(const engine::Run& run, const engine::Run* before,
                                          std::string_view key);

} // namespace profiler

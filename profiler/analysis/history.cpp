#include "profiler/analysis/history.h"

#include "engine/base/try.h"

namespace profiler {

using namespace engine;

std::vector<const Measure<ReportedRun>*> historyMeasures()
{
    std::vector<const Measure<ReportedRun>*> all;
    for (const Measure<ReportedRun>& measure : runMeasures())
        if ((measure.shown & kDifference) != 0)
            all.push_back(&measure);
    return all;
}

namespace {

std::string otherConditions(const Run& run, const Run& before, const Comparison& comparison)
{
    std::string text = run.info.scheme == before.info.scheme ? "" : "scheme";
    for (const Difference& one : comparison.differences)
        text += (text.empty() ? "" : ", ") + one.title;
    return text.empty() ? comparison.obstacle : text;
}

} // namespace

Result<HistoryPoint> historyPoint(const Run& run, const Run* before, std::string_view key)
{
    // With itself, because a comparison has the intervals of all numbers.
    const auto own = TRY(compare({&run, &run}));
    HistoryPoint point;
    if (const Amount* amount = own.base().amount(key))
        point.value = *amount;
    if (before == nullptr)
        return point;
    const auto both = TRY(compare({before, &run}));
    point.conditions = otherConditions(run, *before, both);
    if (point.conditions.empty())
        point.change = both.change(key, 1);
    point.isMeasuredApart = point.change && both.isMeasuredApart;
    return point;
}

} // namespace profiler

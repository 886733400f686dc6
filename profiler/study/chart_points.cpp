#include "profiler/study/chart_points.h"

#include "engine/base/field.h"
#include "engine/base/try.h"
#include "profiler/study/metric_text.h"

#include <algorithm>

namespace profiler {

engine::Result<ChartPoints> ChartPoints::of(const Study& study, const StudyChart& chart,
                                            const std::vector<StudyPoint>& points,
                                            const std::vector<StudyResult>& results)
{
    ChartPoints all{study, chart, points, results, {}, {}, {}};
    all.y = TRY(shownColumn(study, points, results, chart.y));
    if (chart.kind == StudyChart::Kind::Pareto)
        all.x = TRY(shownColumn(study, points, results, chart.x));
    all.series = all.titlesOf(chart.series);
    return all;
}

std::size_t ChartPoints::indexOf(std::size_t point, std::string_view key) const
{
    const auto& values = study.axis(key)->values;
    const auto at = std::ranges::find(values, valueOf(point, key));
    return static_cast<std::size_t>(at - values.begin());
}

bool ChartPoints::isShown(std::size_t point) const
{
    return std::ranges::all_of(chart.where, [&](const auto& where) {
        return valueOf(point, where.first) == where.second;
    });
}

bool ChartPoints::hasNumbers(std::string_view key) const
{
    return std::ranges::all_of(study.axis(key)->values, [](const std::string& text) {
        return engine::parseNumber(text).has_value();
    });
}

std::vector<ChartValue> ChartPoints::values() const
{
    std::vector<ChartValue> all;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (isShown(i) && y[i] && (x.empty() || x[i]))
            all.push_back({i, x.empty() ? 0 : *x[i], *y[i]});
    return all;
}

std::optional<std::pair<double, double>> ChartPoints::interval(std::size_t point) const
{
    const auto of = intervalOf(study, points, results, chart.y, point);
    const double factor = of ? shownFactor(results, chart.y) : 1;
    return of ? std::optional(std::pair(of->first * factor, of->second * factor)) : of;
}

std::vector<std::string> ChartPoints::titlesOf(std::string_view key) const
{
    return profiler::titlesOf(*study.axis(key));
}

// Returns the usable memory if it is the same for all points that the chart shows.
std::optional<double> ChartPoints::memoryLimit() const
{
    const auto limits = shownColumn(study, points, results, metricName(StudyMetric::UsableMemory));
    std::optional<double> limit;
    for (const ChartValue& value : values()) {
        const auto own = (*limits)[value.point];
        if (!own || (limit && *limit != *own))
            return std::nullopt;
        limit = own;
    }
    return limit;
}

std::string ChartPoints::reasonOf(const std::vector<std::size_t>& hatched) const
{
    const auto isOver = [this](std::size_t point) {
        return study.onlyFitting && results[point].values.of[StudyMetric::Fits] == 0;
    };
    const bool areSome = std::ranges::any_of(hatched, isOver);
    return !areSome                            ? "not possible"
        : std::ranges::all_of(hatched, isOver) ? "over memory"
                                               : "not possible or over memory";
}

} // namespace profiler

#include "profiler/study/point_summary.h"

#include "engine/base/field.h"
#include "profiler/study/metric_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace profiler {

using namespace engine;

namespace {

// The values of a column in the units in which they are shown. A value is computed only when it is
// read, because a study may have 10,000 points.
class Column
{
public:
    Column(const Study& study, const std::vector<StudyPoint>& points,
           const std::vector<StudyResult>& results, std::string_view name)
        : m_study(study)
        , m_points(points)
        , m_results(results)
        , m_name(name)
        , m_factor(shownFactor(results, name))
    { }
    std::optional<double> operator[](std::size_t point) const
    {
        const auto value = valueOf(m_study, m_points, m_results, m_name, point);
        return value ? std::optional(*value * m_factor) : std::nullopt;
    }

private:
    const Study& m_study;
    const std::vector<StudyPoint>& m_points;
    const std::vector<StudyResult>& m_results;
    std::string m_name;
    double m_factor;
};

class Summarizer
{
public:
    Summarizer(const Study& study, const std::vector<StudyPoint>& points,
               const std::vector<StudyResult>& results, std::size_t point)
        : m_study(study)
        , m_points(points)
        , m_results(results)
        , m_point(point)
        , m_axis(study.comparedAxis())
        , m_times(column(metricName(StudyMetric::Iteration)))
    {
        if (m_axis == nullptr)
            return;
        for (const std::string& value : m_axis->values)
            m_rivals.push_back(neighbour(m_axis->key, value));
    }

    PointSummary summarize(std::string_view along)
    {
        PointSummary summary;
        if (m_axis == nullptr)
            return summary;
        summary.name = nameOf(m_point);
        for (std::size_t i = 0; i < m_study.grid.size(); ++i)
            if (const StudyAxis& axis = m_study.grid[i]; &axis != m_axis)
                summary.where += fmt::format("{}{} {}", summary.where.empty() ? "" : ", ",
                                             optionWord(axis.key),
                                             valueTitle(axis.key, m_points[m_point].values[i]));
        const std::string& mapping = m_results[m_point].values.mapping;
        if (!mapping.empty() && m_study.axis("mapping") == nullptr)
            summary.where += fmt::format("{}{}", summary.where.empty() ? "" : ", ", mapping);
        summary.reason = reason();
        addRows(summary);
        summary.best = bestOf(m_times, true);
        if (summary.reason.empty() && m_times[m_point] && summary.best)
            summary.sentence = comparison(*summary.best) + crossings(along);
        return summary;
    }

private:
    // Returns the point that has `value` on the axis `key` and is otherwise equal to this one.
    std::size_t neighbour(std::string_view key, const std::string& value) const
    {
        std::vector<std::string> values = m_points[m_point].values;
        values[static_cast<std::size_t>(m_study.axis(key) - m_study.grid.data())] = value;
        return pointAt(m_study, values).value();
    }

    std::string nameOf(std::size_t point) const
    {
        const auto axis = static_cast<std::size_t>(m_axis - m_study.grid.data());
        return valueTitle(m_axis->key, m_points[point].values[axis]);
    }

    Column column(std::string_view name) const { return {m_study, m_points, m_results, name}; }

    std::string reason() const
    {
        const StudyResult& result = m_results[m_point];
        if (!result.isDone)
            return "not computed yet";
        const auto& of = result.values.of;
        if (result.error.empty() && m_study.onlyFitting && of[StudyMetric::Fits] == 0)
            return fmt::format("does not fit: needs {}; {}",
                               bytesText(std::llround(of[StudyMetric::PeakBytes].value_or(0))),
                               memoryOf(result.values).text());
        return result.error;
    }

    std::optional<std::size_t> bestOf(const Column& values, bool less) const
    {
        std::optional<std::size_t> best;
        for (const std::size_t rival : m_rivals)
            if (values[rival]
                && (!best
                    || (less ? *values[rival] < *values[*best] : *values[rival] > *values[*best])))
                best = rival;
        return best;
    }

    void addRows(PointSummary& summary) const
    {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < kStudyMetrics; ++i)
            if (const auto metric = static_cast<StudyMetric>(i);
                metric < StudyMetric::Fits || metric == StudyMetric::Loss)
                names.emplace_back(metricName(metric));
        for (const StudyRatio& ratio : m_study.ratios)
            names.push_back(ratio.name);
        for (const std::string& name : names)
            if (const Column values = column(name); values[m_point])
                summary.rows.push_back(row(name, values));
    }

    PointSummary::Row row(const std::string& name, const Column& values) const
    {
        const auto best = bestOf(values, lessIsBetter(m_study, name));
        const double own = *values[m_point];
        const int decimals = metricDecimals(name, best ? std::max(own, *values[*best]) : own);
        PointSummary::Row row{
            columnTitle(m_study, m_results, name), fixedNumber(own, decimals), {}, {}, false};
        if (const auto of = interval(m_point, name))
            row.value += fmt::format(" ({} to {})", fixedNumber(of->first, decimals),
                                     fixedNumber(of->second, decimals));
        if (m_rivals.size() < 2 || !best)
            return row;
        row.best = fixedNumber(*values[*best], decimals);
        row.isBest = *values[m_point] == *values[*best];
        for (const std::size_t rival : m_rivals)
            if (values[rival] == values[*best])
                row.bestNames += (row.bestNames.empty() ? "" : ", ") + nameOf(rival);
        return row;
    }

    // Returns the 95 % interval of a column at a point, in the unit in which the column is shown.
    std::optional<std::pair<double, double>> interval(std::size_t point,
                                                      std::string_view name) const
    {
        const auto of = intervalOf(m_study, m_points, m_results, name, point);
        const double factor = of ? shownFactor(m_results, name) : 1;
        return of ? std::optional(std::pair(of->first * factor, of->second * factor)) : of;
    }
    bool overlaps(std::size_t other) const
    {
        const auto iteration = metricName(StudyMetric::Iteration);
        const auto own = interval(m_point, iteration), its = interval(other, iteration);
        return own && its && own->first <= its->second && its->first <= own->second;
    }

    std::string comparison(std::size_t best) const
    {
        const double own = *m_times[m_point];
        if (best != m_point && overlaps(best))
            return fmt::format("{} and {}, the fastest here, are not distinguishable: their 95 % "
                               "intervals overlap.",
                               nameOf(m_point), nameOf(best));
        if (own > *m_times[best])
            return fmt::format("{} takes {:.3g} times as long as {}, the fastest here.",
                               nameOf(m_point), own / *m_times[best], nameOf(best));
        std::optional<std::size_t> second;
        for (const std::size_t rival : m_rivals)
            if (rival != m_point && m_times[rival]
                && (!second || *m_times[rival] < *m_times[*second]))
                second = rival;
        if (!second)
            return "";
        if (overlaps(*second))
            return fmt::format("{} is the fastest here, but not distinguishable from {}: their "
                               "95 % intervals overlap.",
                               nameOf(m_point), nameOf(*second));
        if (*m_times[*second] == own)
            return fmt::format("{} and {} are the fastest here.", nameOf(m_point), nameOf(*second));
        return fmt::format("{} is the fastest here; {} takes {:.3g} times as long.",
                           nameOf(m_point), nameOf(*second), *m_times[*second] / own);
    }

    // Returns a sentence that names each rival (a point with another compared value) that overtakes
    // this point as the axis `along` grows, and the value at which it does. The value is
    // interpolated.
    std::string crossings(std::string_view along) const
    {
        const StudyAxis* const axis = along.empty() ? nullptr : m_study.axis(along);
        if (axis == nullptr || axis == m_axis || axis->values.size() < 2)
            return "";
        std::string text;
        for (const std::string& rival : m_axis->values)
            if (const auto at = crossing(*axis, rival))
                text += fmt::format("{}{} at {:.3g}", text.empty() ? "" : ", ",
                                    valueTitle(m_axis->key, rival), *at);
        return text.empty() ? text
                            : fmt::format(" For larger values of {}, it is overtaken by {}.",
                                          optionWord(axis->key), text);
    }

    std::optional<double> crossing(const StudyAxis& axis, const std::string& rival) const
    {
        const auto compared = static_cast<std::size_t>(m_axis - m_study.grid.data());
        const auto place = static_cast<std::size_t>(&axis - m_study.grid.data());
        std::vector<std::string> values = m_points[m_point].values;
        const auto from = std::ranges::find(axis.values, values[place]);
        // The previous value of the axis, and the lead at that value: by how much this point was
        // faster than the rival.
        std::optional<std::pair<double, double>> before;
        for (auto at = from; at != axis.values.end(); ++at) {
            const auto x = parseNumber(*at);
            values[place] = *at;
            const auto own = m_times[pointAt(m_study, values).value()];
            auto others = values;
            others[compared] = rival;
            const auto other = m_times[pointAt(m_study, others).value()];
            if (!x || !own || !other || *x < (before ? before->first : *x))
                return std::nullopt;
            const double lead = *other - *own;
            if (!before && lead <= 0)
                return std::nullopt;
            if (lead < 0)
                return before->first
                    + (*x - before->first) * before->second / (before->second - lead);
            before = {*x, lead};
        }
        return std::nullopt;
    }

    const Study& m_study;
    const std::vector<StudyPoint>& m_points;
    const std::vector<StudyResult>& m_results;
    std::size_t m_point;
    const StudyAxis* m_axis;
    // One point for each value of the compared axis, including m_point.
    std::vector<std::size_t> m_rivals;
    Column m_times;
};

} // namespace

PointSummary summarizePoint(const Study& study, const std::vector<StudyPoint>& points,
                            const std::vector<StudyResult>& results, std::size_t point,
                            std::string_view along)
{
    return Summarizer(study, points, results, point).summarize(along);
}

std::string pointText(const PointSummary& summary)
{
    std::string text = summary.name + (summary.where.empty() ? "" : ", " + summary.where);
    if (!summary.reason.empty())
        text += "\n" + summary.reason;
    for (const PointSummary::Row& row : summary.rows)
        text += fmt::format("\n{}: {}", row.title, row.value);
    return text;
}

} // namespace profiler

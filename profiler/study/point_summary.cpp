#include "profiler/study/point_summary.h"

#include "profiler/study/metric_text.h"
#include "profiler/study/study_answer.h"

#include <fmt/format.h>

#include <algorithm>

namespace profiler {

namespace {

// Compares a point with its rivals: the points that differ only in the compared axis.
class Summarizer
{
public:
    Summarizer(const StudyData& data, std::size_t point)
        : m_data(data)
        , m_point(point)
        , m_axis(*data.study.comparedAxis())
        , m_compared(static_cast<std::size_t>(&m_axis - data.study.grid.data()))
    {
        std::vector<std::string> values = data.points[point].values;
        for (const std::string& value : m_axis.values) {
            values[m_compared] = value;
            m_rivals.push_back(pointAt(data.study, values).value());
        }
    }

    PointSummary summarize(std::string_view along)
    {
        PointSummary summary;
        summary.name = nameOf(m_point);
        std::map<std::string, std::string> where;
        for (std::size_t i = 0; i < m_data.study.grid.size(); ++i)
            if (i != m_compared)
                where[m_data.study.grid[i].key] = m_data.points[m_point].values[i];
        summary.where = whereText(where);
        const std::string& mapping = m_data.results[m_point].values.mapping;
        if (!mapping.empty() && m_data.study.axis("mapping") == nullptr)
            summary.where += (summary.where.empty() ? "" : ", ") + mapping;
        summary.reason = m_data.whyUnknown(m_point);
        addRows(summary);
        const std::string iteration(metricName(StudyMetric::Iteration));
        summary.best = best(iteration);
        if (summary.reason.empty() && m_data.value(iteration, m_point))
            summary.sentence = sentence(std::move(where), along);
        return summary;
    }

private:
    std::string nameOf(std::size_t point) const
    {
        return valueTitle(m_axis.key, m_data.points[point].values[m_compared]);
    }

    std::optional<std::size_t> best(const std::string& column) const
    {
        const double towards = lessIsBetter(m_data.study, column) ? 1 : -1;
        std::optional<std::size_t> found;
        for (const std::size_t rival : m_rivals)
            if (const auto value = m_data.value(column, rival);
                value && (!found || towards * *value < towards * *m_data.value(column, *found)))
                found = rival;
        return found;
    }

    // How the point compares with the best other one, and which is the best along an axis.
    std::string sentence(std::map<std::string, std::string> where, std::string_view along) const
    {
        StudyAnswer asked;
        asked.kind = StudyAnswer::Kind::Ratio;
        asked.of = m_data.points[m_point].values[m_compared];
        asked.where = where;
        const AnsweredQuestion ratio = answerQuestion(m_data, asked);
        if (!ratio.unknown.empty())
            return "";
        if (where.erase(std::string(along)) == 0)
            return ratio.claim + ".";
        asked.kind = StudyAnswer::Kind::Best;
        asked.along = along;
        asked.where = std::move(where);
        return ratio.claim + ". " + answerQuestion(m_data, asked).claim + ".";
    }

    void addRows(PointSummary& summary) const
    {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < kStudyMetrics; ++i)
            if (const auto metric = static_cast<StudyMetric>(i); metric < StudyMetric::Fits
                || metric == StudyMetric::Loss || metric == StudyMetric::Exposed)
                names.emplace_back(metricName(metric));
        for (const StudyRatio& ratio : m_data.study.ratios)
            names.push_back(ratio.name);
        for (const std::string& name : names)
            if (m_data.value(name, m_point))
                summary.rows.push_back(row(name));
    }

    PointSummary::Row row(const std::string& column) const
    {
        const double factor = shownFactor(m_data, column);
        const double own = *m_data.value(column, m_point) * factor;
        const std::size_t first = *best(column);
        const double least = *m_data.value(column, first) * factor;
        const int decimals = metricDecimals(column, std::max(own, least));
        PointSummary::Row row{
            columnTitle(m_data, column), fixedNumber(own, decimals), {}, {}, false};
        if (const auto of = shownInterval(m_data, column, m_point))
            row.value += fmt::format(" ({} to {})", fixedNumber(of->first, decimals),
                                     fixedNumber(of->second, decimals));
        if (m_rivals.size() < 2)
            return row;
        row.best = fixedNumber(least, decimals);
        row.isBest = own == least;
        for (const std::size_t rival : m_rivals)
            if (m_data.value(column, rival) == m_data.value(column, first))
                row.bestNames += (row.bestNames.empty() ? "" : ", ") + nameOf(rival);
        return row;
    }

    const StudyData& m_data;
    std::size_t m_point;
    const StudyAxis& m_axis;
    std::size_t m_compared;            // its index
    std::vector<std::size_t> m_rivals; // one for each compared value, including m_point
};

} // namespace

PointSummary summarizePoint(const StudyData& data, std::size_t point, std::string_view along)
{
    return data.study.grid.empty() ? PointSummary() : Summarizer(data, point).summarize(along);
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

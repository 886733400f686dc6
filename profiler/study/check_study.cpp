#include "profiler/study/check_study.h"

#include <fmt/format.h>

#include <algorithm>

namespace profiler {

namespace {

// Checks a study and keeps the first error.
class StudyChecker
{
public:
    explicit StudyChecker(const Study& study)
        : m_study(study)
    { }

    std::string run()
    {
        require(!m_study.grid.empty(),
                "[grid] is missing or empty; give at least one axis, as in "
                "scheme = [\"1f1b\", \"bitpipe\"]");
        for (const StudyChart& chart : m_study.charts)
            checkChart(chart);
        for (const StudyRatio& ratio : m_study.ratios) {
            require(m_study.axis(ratio.name) == nullptr,
                    "[[ratio]] " + ratio.name + " is an axis; use another name");
            require(std::ranges::count(m_study.ratios, ratio.name, &StudyRatio::name) == 1,
                    "[[ratio]] " + ratio.name + " occurs twice; use another name");
            for (const auto& [key, value] : ratio.baseline)
                checkValue("[[ratio]] " + ratio.name, key, value);
        }
        for (const StudyAnswer& answer : m_study.answers)
            checkAnswer(answer);
        checkCases();
        require(m_study.compare.empty() || m_study.axis(m_study.compare) != nullptr,
                fmt::format("compare: '{}' is not in [grid]", m_study.compare));
        checkSize();
        return m_error;
    }

private:
    void require(bool condition, const std::string& message)
    {
        if (!condition && m_error.empty())
            m_error = message;
    }

    // Checks that every value of the axis `case` has options, and vice versa.
    void checkCases()
    {
        const StudyAxis* const axis = m_study.axis("case");
        const std::vector<std::string> values
            = axis == nullptr ? std::vector<std::string>() : axis->values;
        for (const std::string& value : values)
            require(
                m_study.caseArguments.contains(value),
                fmt::format("[grid] case: '{0}' has no options; add [case_options] {0}", value));
        for (const auto& [value, arguments] : m_study.caseArguments)
            require(std::ranges::find(values, value) != values.end(),
                    fmt::format("[case_options] {0}: add \"{0}\" to `case` in [grid]", value));
    }

    void checkAnswer(const StudyAnswer& answer)
    {
        require(isColumn(answer.y),
                fmt::format("[[answer]] y = '{}' is not a metric or a ratio", answer.y));
        for (const auto& [key, value] : answer.where)
            checkValue("[[answer]]", key, value);
    }

    void checkValue(const std::string& where, const std::string& key, const std::string& value)
    {
        const StudyAxis* const axis = m_study.axis(key);
        require(axis != nullptr, fmt::format("{}: '{}' is not in [grid]", where, key));
        if (axis != nullptr)
            require(std::ranges::find(axis->values, value) != axis->values.end(),
                    fmt::format("{}: {} = {} is not in [grid]", where, key, value));
    }

    bool isColumn(const std::string& name) const
    {
        return metricNamed(name)
            || std::ranges::find(m_study.ratios, name, &StudyRatio::name) != m_study.ratios.end();
    }

    void checkChart(const StudyChart& chart)
    {
        const std::string where = fmt::format("[[chart]] '{}'", chart.title);
        using Kind = StudyChart::Kind;
        std::vector<std::string> used{chart.series};
        if (chart.kind != Kind::Pareto)
            used.push_back(chart.x);
        if (chart.kind == Kind::PhaseMap)
            used.push_back(chart.rows);
        require(isColumn(chart.y),
                fmt::format("{}: y = '{}' is not a metric or a ratio", where, chart.y));
        require(chart.kind != Kind::Pareto || isColumn(chart.x),
                fmt::format("{}: x = '{}' is not a metric or a ratio", where, chart.x));
        for (const std::string& key : used)
            require(m_study.axis(key) != nullptr,
                    fmt::format("{}: '{}' is not in [grid]", where, key));
        for (const auto& [key, value] : chart.where)
            checkValue(where, key, value);
        for (const StudyAxis& axis : m_study.grid)
            require(axis.values.size() == 1 || chart.where.contains(axis.key)
                        || std::ranges::find(used, axis.key) != used.end(),
                    fmt::format("{}: {} has several values; name one, as in where = {{ {} = {} }}",
                                where, axis.key, axis.key, axis.values.front()));
    }

    void checkSize()
    {
        constexpr double kMost = 1e6;
        double points = 1;
        for (const StudyAxis& axis : m_study.grid)
            points *= static_cast<double>(axis.values.size());
        require(points <= kMost,
                fmt::format("the grid has {:.3g} points; at most 1,000,000 are possible", points));
    }

    const Study& m_study;
    std::string m_error;
};

} // namespace

std::string studyFault(const Study& study)
{
    return StudyChecker(study).run();
}

} // namespace profiler

#include "profiler/study/study_report.h"

#include "engine/base/median.h"
#include "engine/base/try.h"
#include "engine/base/version.h"
#include "engine/timeline/run.h"
#include "profiler/analysis/run_measures.h"
#include "profiler/figure/scene.h"
#include "profiler/report/sheet.h"
#include "profiler/study/chart.h"
#include "profiler/study/metric_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <thread>

namespace profiler {

using namespace engine;

namespace {

std::string paragraph(const std::string& text)
{
    return text.empty() ? "" : "<p>" + markupText(text) + "</p>\n";
}

std::string_view modeText(Study::Mode mode)
{
    switch (mode) {
    case Study::Mode::Emulate:
        return "emulated: every op ran on this machine, one at a time";
    case Study::Mode::Live:
        return "live: all devices ran at the same time on this machine";
    case Study::Mode::Simulate:
        break;
    }
    return "simulated: no op ran";
}

// Describes how the points were obtained: "20 points, 5 of them live: all devices ran ..."
std::string modesText(const std::vector<StudyPoint>& points)
{
    std::map<Study::Mode, std::size_t> counts;
    for (const StudyPoint& point : points)
        ++counts[point.mode];
    std::string text = fmt::format("{} points", points.size());
    for (const auto& [mode, count] : counts)
        text += counts.size() == 1
            ? fmt::format(", {}", modeText(mode))
            : fmt::format("{} {} {}", mode == counts.begin()->first ? ":" : ";", count,
                          modeText(mode));
    return text + ".";
}

// "Points that do not fit in memory are left out ... (75.2 GiB usable of 79.2 GiB: reserve 5 %)."
std::string fittingText(const std::vector<StudyResult>& results)
{
    std::vector<std::string> memories;
    for (const StudyResult& result : results)
        if (const MemoryCapacity memory = memoryOf(result.values);
            memory.isKnown() && std::ranges::find(memories, memory.text()) == memories.end())
            memories.push_back(memory.text());
    return fmt::format(" Points that do not fit in memory are left out of the charts and the "
                       "answer{}.",
                       memories.empty() ? "" : fmt::format(" ({})", fmt::join(memories, "; ")));
}

std::string setup(const Study& study, const std::vector<StudyPoint>& points,
                  const std::vector<StudyResult>& results)
{
    std::vector<std::vector<Reading>> rows;
    for (const StudyAxis& axis : study.fixed)
        rows.push_back({optionTitle(axis.key), valueTitle(axis.key, axis.values.front())});
    for (const StudyAxis& axis : study.grid)
        rows.push_back({optionTitle(axis.key), fmt::format("{}", fmt::join(titlesOf(axis), ", "))});
    for (const auto& [key, all] :
         {std::pair("scheme", &study.schemeArguments), std::pair("case", &study.caseArguments)})
        for (const auto& [name, arguments] : *all)
            rows.push_back(
                {"only " + valueTitle(key, name), fmt::format("{}", fmt::join(arguments, " "))});
    for (const auto& [name, arguments] : study.files)
        rows.push_back({name, fmt::format("written by bscope {}", fmt::join(arguments, " "))});
    return "<h2>Set-up</h2>\n" + Table({"Option", "Values"}, std::move(rows)).html()
        + paragraph(modesText(points) + (study.onlyFitting ? fittingText(results) : ""));
}

Result<std::string> charts(const Study& study, const std::vector<StudyPoint>& points,
                           const std::vector<StudyResult>& results)
{
    std::string text;
    for (const StudyChart& chart : study.charts) {
        const auto drawn = TRY(drawChart(study, chart, points, results));
        text += fmt::format("<h3>{}</h3>\n", markupText(chart.title))
            + paragraph(whereText(chart.where)) + "<figure>\n" + toSvg(drawn.scene) + "</figure>\n";
    }
    return text.empty() ? text : "<h2>Charts</h2>\n" + text;
}

int decimalsOf(std::string_view name, const std::vector<std::optional<double>>& column)
{
    double greatest = 0;
    for (const auto& value : column)
        greatest = std::max(greatest, std::abs(value.value_or(0)));
    return metricDecimals(name, greatest);
}

Result<std::string> table(const Study& study, const std::vector<StudyPoint>& points,
                          const std::vector<StudyResult>& results)
{
    constexpr std::size_t kMostRows = 300;
    std::vector<std::string> names{"iteration",         "bubble", "peak_stash", "peak_bytes",
                                   "tokens_per_second", "mfu",    "loss",       "cpu_share"};
    for (const StudyRatio& ratio : study.ratios)
        names.push_back(ratio.name);
    std::vector<std::string> titles;
    std::vector<std::vector<std::optional<double>>> columns;
    for (const StudyAxis& axis : study.grid)
        titles.push_back(optionTitle(axis.key));
    std::vector<std::string> shown;
    std::vector<int> decimals;
    for (const std::string& name : names) {
        auto column = TRY(shownColumn(study, points, results, name));
        if (std::ranges::none_of(column, [](const auto& value) { return value.has_value(); }))
            continue;
        titles.push_back(columnTitle(study, results, name));
        shown.push_back(name);
        decimals.push_back(decimalsOf(name, column));
        columns.push_back(std::move(column));
    }
    const bool hasMapping = study.axis("mapping") == nullptr
        && std::ranges::any_of(results, [](const StudyResult& result) {
                                return !result.values.mapping.empty();
                            });
    if (hasMapping)
        titles.emplace_back("Mapping");
    const auto cell = [&](std::size_t point, std::size_t of) {
        const std::string& column = shown[of];
        const int digits = decimals[of];
        const auto ends = intervalOf(study, points, results, column, point);
        const double factor = ends ? shownFactor(results, column) : 1;
        return fixedNumber(*columns[of][point], digits)
            + (ends ? fmt::format(" ({} to {})", fixedNumber(ends->first * factor, digits),
                                  fixedNumber(ends->second * factor, digits))
                    : "");
    };
    std::vector<std::vector<Reading>> rows;
    for (std::size_t i = 0; i < points.size() && rows.size() < kMostRows; ++i) {
        if (!results[i].error.empty())
            continue;
        std::vector<Reading>& cells = rows.emplace_back();
        for (std::size_t axis = 0; axis < study.grid.size(); ++axis)
            cells.push_back(valueTitle(study.grid[axis].key, points[i].values[axis]));
        for (std::size_t c = 0; c < columns.size(); ++c)
            cells.push_back(columns[c][i] ? Reading(cell(i, c)) : Reading());
        if (hasMapping)
            cells.push_back(results[i].values.mapping);
    }
    const bool isCut = rows.size() == kMostRows;
    Table table(titles, std::move(rows));
    for (Table::Column& column : table.columns) {
        const bool isBubble = column.title == "Bubble, %"; // not the time
        if (const MeasureInfo* of = definitionTitled(
                isBubble ? column.title : column.title.substr(0, column.title.find(", "))))
            column.of = *of;
        column.of.unit = Unit::None; // the cells are texts with the unit of the title
        column.of.shown = kColumn;
        column.of.decimals = 0;
    }
    return "<h2>Results</h2>\n" + table.html()
        + paragraph(study.isMeasured() ? "In brackets: the 95 % interval of a median." : "")
        + paragraph(
               isCut ? fmt::format("The first {} points; results.csv has all of them.", kMostRows)
                     : "");
}

// States what disturbed the measurements.
std::string disturbances(const std::vector<StudyResult>& results)
{
    std::size_t disturbed = 0, live = 0;
    double least = 1;
    for (const StudyResult& result : results)
        if (const auto share = result.values.of[StudyMetric::CpuShare]) {
            ++live;
            disturbed += *share < kUndisturbedShare ? 1 : 0;
            least = std::min(least, *share);
        }
    std::string text;
    if (disturbed > 0)
        text = fmt::format(
            "Other programs used the processor: the ops of {} of {} live runs got "
            "less than {:.0f} % of their wall time as CPU time; the lowest share is {:.0f} %. ",
            disturbed, live, 100 * kUndisturbedShare, 100 * least);
    if (double load = 0; getloadavg(&load, 1) == 1)
        text += fmt::format("When the report was written, the load was {:.1f} on {} cores.", load,
                            std::thread::hardware_concurrency());
    return paragraph(text);
}

std::string limits(const Study& study, const std::vector<StudyResult>& results)
{
    std::map<std::string, int> reasons;
    for (const StudyResult& result : results)
        if (!result.error.empty())
            ++reasons[result.error];
    std::string text = "<h2>Limits</h2>\n" + paragraph(study.limits);
    if (study.isMeasured())
        text += disturbances(results);
    else
        text += paragraph("Times are predictions; iteration times of models on hardware are "
                          "accurate to about 15 %, ratios between schemes to 2 to 3 %.");
    if (reasons.empty())
        return text;
    constexpr std::size_t kMostReasons = 20;
    std::vector<std::pair<int, std::string>> order;
    for (const auto& [reason, count] : reasons)
        order.emplace_back(-count, reason);
    std::ranges::sort(order);
    order.resize(std::min(order.size(), kMostReasons));
    std::vector<std::vector<Reading>> rows;
    for (const auto& [count, reason] : order)
        rows.push_back({-count, reason});
    return text + Table({"Points", "Not possible, because"}, std::move(rows)).html();
}

} // namespace

Result<std::string> studyReport(const Study& study, const std::vector<StudyPoint>& points,
                                const std::vector<StudyResult>& results)
{
    auto drawn = charts(study, points, results);
    if (!drawn)
        return drawn;
    auto rows = table(study, points, results);
    if (!rows)
        return rows;
    const std::string title = study.title.empty() ? "Study" : study.title;
    const std::string answer = studyAnswer(study, points, results);
    return htmlPage(title,
                    "<h1>" + markupText(title) + "</h1>\n" + paragraph(study.question)
                        + (answer.empty() ? "" : "<h2>Answer</h2>\n" + paragraph(answer)) + *drawn
                        + setup(study, points, results) + *rows + limits(study, results)
                        + fmt::format("<footer>{}</footer>\n", markupText(buildId())));
}

namespace {

// Writes the sentence of an answer. A set-up is a combination of values of all axes except the
// compared one. Only set-ups that match StudyAnswer::where are compared.
class AnswerWriter
{
public:
    AnswerWriter(const Study& study, const std::vector<StudyPoint>& points,
                 const std::vector<StudyResult>& results, const StudyAnswer& answer)
        : m_study(study)
        , m_points(points)
        , m_results(results)
        , m_answer(answer)
        , m_axis(static_cast<std::size_t>(study.comparedAxis() - study.grid.data()))
        , m_less(lessIsBetter(study, answer.y))
    {
        for (std::size_t i = 0; i < points.size(); ++i) {
            std::vector<std::string> key = points[i].values;
            key[m_axis].clear();
            if (isMeant(i))
                if (const auto value = valueOf(study, points, results, answer.y, i))
                    m_setUps[key].push_back({*value, i});
        }
    }

    std::string text()
    {
        const auto ratio = std::ranges::find(m_study.ratios, m_answer.y, &StudyRatio::name);
        return ratio == m_study.ratios.end() ? ranking() : medians(*ratio);
    }

private:
    struct Value
    {
        double value = 0;
        std::size_t point = 0;
    };
    // The set-ups in which one compared value is the best, or several are equally good.
    struct Wins
    {
        // For each set-up that has a second best value: the factor by which the best one is better.
        std::vector<double> factors;
        std::size_t setUps = 0, overlaps = 0;
        bool isShared = false;
    };

    bool isMeant(std::size_t point) const
    {
        for (std::size_t i = 0; i < m_study.grid.size(); ++i)
            if (const auto at = m_answer.where.find(m_study.grid[i].key);
                at != m_answer.where.end() && at->second != m_points[point].values[i])
                return false;
        return true;
    }

    const std::string& keyOf(std::size_t point) const { return m_points[point].values[m_axis]; }
    std::string titleOf(const std::string& value) const
    {
        return valueTitle(m_study.grid[m_axis].key, value);
    }

    bool overlap(std::size_t one, std::size_t other) const
    {
        const auto first = intervalOf(m_study, m_points, m_results, m_answer.y, one),
                   second = intervalOf(m_study, m_points, m_results, m_answer.y, other);
        return first && second && first->first <= second->second && second->first <= first->second;
    }

    void count(std::vector<Value>& values, std::map<std::string, Wins>& wins) const
    {
        std::ranges::stable_sort(values, [this](const Value& a, const Value& b) {
            return m_less ? a.value < b.value : a.value > b.value;
        });
        constexpr double kEqual = 1e-6; // relative; losses of equal schedules differ by rounding
        const double best = values.front().value;
        const auto second = std::ranges::find_if(values, [best](const Value& value) {
            return std::abs(value.value - best) > kEqual * std::abs(best);
        });
        std::string names;
        for (auto at = values.begin(); at != second; ++at)
            names += (names.empty()          ? ""
                          : at + 1 == second ? " and "
                                             : ", ")
                + titleOf(keyOf(at->point));
        Wins& own = wins[names];
        ++own.setUps;
        own.isShared = second - values.begin() > 1;
        if (second == values.end())
            return;
        own.overlaps += overlap(values.front().point, second->point) ? 1 : 0;
        if (best > 0 && second->value > 0)
            own.factors.push_back(m_less ? second->value / best : best / second->value);
    }

    // "BitPipe has the shortest iteration in 3 of 4 set-ups, by a factor of 1.1 over the second"
    std::string ranking()
    {
        std::map<std::string, Wins> wins;
        std::size_t compared = 0;
        for (auto& [key, values] : m_setUps)
            if (values.size() > 1) {
                ++compared;
                count(values, wins);
            }
        std::vector<std::pair<std::size_t, std::string>> order;
        for (const auto& [names, of] : wins)
            order.emplace_back(of.setUps, names);
        std::ranges::sort(order, std::greater());
        std::string text;
        for (const auto& [setUps, names] : order)
            text += sentence(names, wins[names], compared);
        return text;
    }

    std::string sentence(const std::string& names, Wins& wins, std::size_t compared) const
    {
        const bool isTime = m_answer.y == metricName(StudyMetric::Iteration);
        const std::string column = asWord(columnTitle(m_study, m_results, m_answer.y));
        std::string text = fmt::format("{} {} the {} {} in {} of {} set-ups", names,
                                       wins.isShared ? "have" : "has",
                                       isTime       ? "shortest"
                                           : m_less ? "lowest"
                                                    : "highest",
                                       column, wins.setUps, compared);
        if (!wins.factors.empty()) {
            const double most = std::ranges::max(wins.factors);
            text += fmt::format(", by a factor of {:.3f} over the {} (median; at most {:.3f})",
                                engine::medianOf(wins.factors), wins.isShared ? "next" : "second",
                                most);
        }
        if (wins.overlaps > 0)
            text += fmt::format("; not distinguishable from it in {}, where the 95 % intervals "
                                "overlap",
                                wins.overlaps);
        return text + ". ";
    }

    // "Loss against 1F1B, median (minimum to maximum): BitPipe 1.000 (1.000 to 1.000)."
    std::string medians(const StudyRatio& ratio) const
    {
        std::map<std::string, std::vector<double>> values;
        for (const auto& [key, setUp] : m_setUps)
            for (const Value& value : setUp)
                values[keyOf(value.point)].push_back(value.value);
        if (const auto base = ratio.baseline.find(m_study.grid[m_axis].key);
            base != ratio.baseline.end())
            values.erase(base->second);
        std::string text;
        for (const std::string& name : m_study.grid[m_axis].values) {
            auto& of = values[name];
            if (of.empty())
                continue;
            const auto [least, most] = std::ranges::minmax(of);
            text += fmt::format("{}{} {:.3f} ({:.3f} to {:.3f})", text.empty() ? "" : ", ",
                                titleOf(name), engine::medianOf(of), least, most);
        }
        auto others = m_answer.where;
        others.erase(m_study.grid[m_axis].key);
        const std::string where = others.empty() ? "" : ", " + whereText(others);
        return text.empty() ? text
                            : fmt::format("{}{}, median (minimum to maximum): {}. ",
                                          columnTitle(m_study, m_results, ratio.name), where, text);
    }

    const Study& m_study;
    const std::vector<StudyPoint>& m_points;
    const std::vector<StudyResult>& m_results;
    const StudyAnswer& m_answer;
    std::size_t m_axis; // index of the compared axis
    bool m_less;
    // The values to compare in each set-up. The key of a set-up has the values of all axes, with ""
    // for the compared axis.
    std::map<std::vector<std::string>, std::vector<Value>> m_setUps;
};

} // namespace

std::string studyAnswer(const Study& study, const std::vector<StudyPoint>& points,
                        const std::vector<StudyResult>& results)
{
    const StudyAxis* const axis = study.comparedAxis();
    if (axis == nullptr || axis->values.size() < 2)
        return "";
    const std::vector<StudyAnswer> usual{{std::string(metricName(StudyMetric::Iteration)), {}}};
    std::string text;
    for (const StudyAnswer& answer : study.answers.empty() ? usual : study.answers)
        text += AnswerWriter(study, points, results, answer).text();
    return text;
}

} // namespace profiler

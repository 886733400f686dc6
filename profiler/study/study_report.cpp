#include "profiler/study/study_report.h"

#include "engine/base/version.h"
#include "profiler/figure/svg.h"
#include "profiler/report/html_page.h"
#include "profiler/report/html_table.h"
#include "profiler/study/chart.h"
#include "profiler/study/metric_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace profiler {

using namespace engine;

namespace {

std::string paragraph(const std::string& text)
{
    return text.empty() ? "" : "<p>" + markupText(text) + "</p>\n";
}

std::string_view modeText(const Study& study)
{
    switch (study.mode) {
    case Study::Mode::Emulate:
        return "emulated: every op ran on this machine, one at a time";
    case Study::Mode::Live:
        return "live: all devices ran at the same time on this machine";
    case Study::Mode::Simulate:
        break;
    }
    return "simulated: no op ran";
}

std::string setup(const Study& study, std::size_t points)
{
    HtmlTable table({"Option", "Values"});
    for (const StudyAxis& axis : study.fixed)
        table.add({axis.key, axis.values.front()}, HtmlTable::Cell::Text);
    for (const StudyAxis& axis : study.grid)
        table.add({axis.key, fmt::format("{}", fmt::join(axis.values, ", "))},
                  HtmlTable::Cell::Text);
    for (const auto& [scheme, arguments] : study.schemeArguments)
        table.add({"only " + scheme, fmt::format("{}", fmt::join(arguments, " "))},
                  HtmlTable::Cell::Text);
    return "<h2>Set-up</h2>\n" + table.text()
        + paragraph(fmt::format("{} points, {}.{}", points, modeText(study),
                                study.onlyFitting ? " Points that do not fit in memory are left "
                                                    "out of the charts and the answer."
                                                  : ""));
}

Result<std::string> charts(const Study& study, const std::vector<StudyPoint>& points,
                           const std::vector<StudyResult>& results)
{
    std::string text;
    for (const StudyChart& chart : study.charts) {
        const auto drawn = drawChart(study, chart, points, results);
        if (!drawn)
            return tl::unexpected(drawn.error());
        std::string where;
        for (const auto& [key, value] : chart.where)
            where += fmt::format("{}{} = {}", where.empty() ? "" : ", ", key, value);
        text += fmt::format("<h3>{}</h3>\n", markupText(chart.title)) + paragraph(where)
            + "<figure>\n" + toSvg(drawn->scene) + "</figure>\n";
    }
    return text.empty() ? text : "<h2>Charts</h2>\n" + text;
}

Result<std::string> table(const Study& study, const std::vector<StudyPoint>& points,
                          const std::vector<StudyResult>& results)
{
    constexpr std::size_t kMostRows = 300;
    std::vector<std::string> names{"iteration",         "bubble", "peak_stash", "peak_bytes",
                                   "tokens_per_second", "mfu"};
    for (const StudyRatio& ratio : study.ratios)
        names.push_back(ratio.name);
    std::vector<std::string> titles;
    std::vector<std::vector<std::optional<double>>> columns;
    for (const StudyAxis& axis : study.grid)
        titles.push_back(axis.key);
    std::vector<std::string> shown;
    for (const std::string& name : names) {
        auto column = shownColumn(study, points, results, name);
        if (!column)
            return tl::unexpected(column.error());
        if (std::ranges::none_of(*column, [](const auto& value) { return value.has_value(); }))
            continue;
        titles.push_back(columnTitle(study, results, name));
        shown.push_back(name);
        columns.push_back(*std::move(column));
    }
    HtmlTable rows(titles);
    std::size_t count = 0;
    for (std::size_t i = 0; i < points.size() && count < kMostRows; ++i) {
        if (!results[i].error.empty())
            continue;
        std::vector<std::string> cells = points[i].values;
        for (std::size_t c = 0; c < columns.size(); ++c)
            cells.push_back(columns[c][i] ? metricNumber(shown[c], *columns[c][i]) : "-");
        rows.add(cells);
        ++count;
    }
    const bool isCut = count == kMostRows;
    return "<h2>Results</h2>\n" + rows.text()
        + paragraph(
               isCut ? fmt::format("The first {} points; results.csv has all of them.", kMostRows)
                     : "");
}

std::string limits(const Study& study, const std::vector<StudyResult>& results)
{
    std::map<std::string, int> reasons;
    for (const StudyResult& result : results)
        if (!result.error.empty())
            ++reasons[result.error];
    std::string text = "<h2>Limits</h2>\n" + paragraph(study.limits);
    if (study.mode == Study::Mode::Simulate)
        text += paragraph("Times are predictions; iteration times of models on hardware are "
                          "accurate to about 15 %, ratios between schemes to 2 to 3 %.");
    if (reasons.empty())
        return text;
    HtmlTable table({"Points", "Not possible, because"});
    constexpr std::size_t kMostReasons = 20;
    std::vector<std::pair<int, std::string>> order;
    for (const auto& [reason, count] : reasons)
        order.emplace_back(-count, reason);
    std::ranges::sort(order);
    order.resize(std::min(order.size(), kMostReasons));
    for (const auto& [count, reason] : order)
        table.add({std::to_string(-count), reason}, HtmlTable::Cell::Text);
    return text + table.text();
}

} // namespace

std::string studyAnswer(const Study& study, const std::vector<StudyPoint>& points,
                        const std::vector<StudyResult>& results)
{
    const StudyAxis* const axis = study.comparedAxis();
    if (axis == nullptr || axis->values.size() < 2)
        return "";
    const auto times = columnOf(study, points, results, "iteration");
    if (!times)
        return "";
    const auto of = static_cast<std::size_t>(axis - study.grid.data());
    struct SetUp
    {
        std::vector<std::pair<double, std::string>> times;
    };
    std::map<std::vector<std::string>, SetUp> setUps;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!(*times)[i])
            continue;
        std::vector<std::string> key = points[i].values;
        key[of].clear();
        setUps[key].times.emplace_back(*(*times)[i], points[i].values[of]);
    }
    std::map<std::string, std::vector<double>> gains; // by winner
    std::size_t compared = 0;
    for (auto& [key, setUp] : setUps) {
        if (setUp.times.size() < 2)
            continue;
        std::ranges::sort(setUp.times);
        ++compared;
        gains[setUp.times.front().second].push_back(setUp.times[1].first
                                                    / setUp.times.front().first);
    }
    std::vector<std::pair<std::size_t, std::string>> order;
    for (const auto& [winner, by] : gains)
        order.emplace_back(by.size(), winner);
    std::ranges::sort(order, std::greater());
    std::string text;
    for (const auto& [wins, winner] : order) {
        std::vector<double>& by = gains[winner];
        std::ranges::sort(by);
        text += fmt::format("{} has the shortest iteration in {} of {} set-ups, by a factor of "
                            "{:.3f} over the second (median; at most {:.3f}). ",
                            winner, wins, compared, by[by.size() / 2], by.back());
    }
    return text;
}

Result<std::string> studyReport(const Study& study, const std::vector<StudyPoint>& points,
                                const std::vector<StudyResult>& results)
{
    const auto drawn = charts(study, points, results);
    if (!drawn)
        return drawn;
    const auto rows = table(study, points, results);
    if (!rows)
        return rows;
    const std::string title = study.title.empty() ? "Study" : study.title;
    const std::string answer = studyAnswer(study, points, results);
    return htmlPage(title,
                    "<h1>" + markupText(title) + "</h1>\n" + paragraph(study.question)
                        + (answer.empty() ? "" : "<h2>Answer</h2>\n" + paragraph(answer)) + *drawn
                        + setup(study, points.size()) + *rows + limits(study, results)
                        + fmt::format("<footer>{}</footer>\n", markupText(buildId())));
}

} // namespace profiler

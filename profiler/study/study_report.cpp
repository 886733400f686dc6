#include "engine/base/try.h"
#include "engine/base/version.h"
#include "engine/timeline/run.h"
#include "profiler/analysis/run_measures.h"
#include "profiler/figure/scene.h"
#include "profiler/report/sheet.h"
#include "profiler/study/chart.h"
#include "profiler/study/metric_text.h"
#include "profiler/study/run_study.h"
#include "profiler/study/study_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <ranges>
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
    return mode == Mode::Emulate ? "emulated: every op ran on this machine, one at a time"
        : mode == Mode::Live     ? "live: all devices ran at the same time on this machine"
                                 : "simulated: no op ran";
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

std::string setup(const StudyData& data)
{
    const Study& study = data.study;
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
        + paragraph(modesText(data.points)
                    + (study.onlyFitting ? " Points that do not fit in memory are left out of the "
                                           "charts and answers; the results name them."
                                         : ""));
}

Result<std::string> charts(const StudyData& data)
{
    std::string text;
    for (const StudyChart& chart : data.study.charts) {
        const auto drawn = TRY(drawChart(data, chart));
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

// A column of numbers of the table of results.
struct ResultColumn
{
    std::string name, title;
    std::vector<std::optional<double>> values;
    int decimals = 0;

    Reading cell(const StudyData& data, std::size_t point) const
    {
        const auto amount = shownAmount(data, name, point);
        return amount ? Reading(amountText(*amount, decimals)) : Reading();
    }
};

// The columns of which a point has a value.
Result<std::vector<ResultColumn>> knownColumns(const StudyData& data)
{
    std::vector<std::string> names{
        "iteration",  "bubble",       "exposed",        "messages",          "local_copies",
        "peak_stash", "peak_bytes",   "memory_balance", "tokens_per_second", "mfu",
        "loss",       "time_to_loss", "cpu_share"};
    for (const StudyRatio& ratio : data.study.ratios)
        names.push_back(ratio.name);
    std::vector<ResultColumn> columns;
    for (const std::string& name : names) {
        auto values = TRY(shownColumn(data, name));
        const int decimals = decimalsOf(name, values);
        if (std::ranges::any_of(values, [](const auto& value) { return value.has_value(); }))
            columns.push_back({name, columnTitle(data, name), std::move(values), decimals});
    }
    return columns;
}

void addDefinitions(Table& table)
{
    for (Table::Column& column : table.columns) {
        const bool isBubble = column.title == "Bubble, %"; // not the time
        if (const MeasureInfo* of = definitionTitled(
                isBubble ? column.title : column.title.substr(0, column.title.find(", "))))
            column.of = *of;
        column.of.unit = Unit::None; // the cells are texts with the unit of the title
        column.of.shown = kColumn;
        column.of.decimals = 0;
    }
}

Result<std::string> table(const StudyData& data)
{
    const auto& [study, points, results] = data;
    constexpr std::size_t kMostRows = 300;
    std::vector<std::string> titles;
    for (const StudyAxis& axis : study.grid)
        titles.push_back(optionTitle(axis.key));
    const auto columns = TRY(knownColumns(data));
    for (const ResultColumn& column : columns)
        titles.push_back(column.title);
    const bool hasMapping = study.axis("mapping") == nullptr
        && std::ranges::any_of(results, [](const StudyResult& result) {
                                return !result.values.mapping.empty();
                            });
    if (hasMapping)
        titles.emplace_back("Mapping");
    const auto isLeftOut = [&](std::size_t point) { return data.isTooLarge(point); };
    const bool hasNotes = std::ranges::any_of(std::views::iota(0U, points.size()), isLeftOut);
    if (hasNotes)
        titles.emplace_back("Note");
    std::vector<std::vector<Reading>> rows;
    for (std::size_t i = 0; i < points.size() && rows.size() < kMostRows; ++i) {
        if (!results[i].error.empty())
            continue;
        std::vector<Reading>& cells = rows.emplace_back();
        for (std::size_t axis = 0; axis < study.grid.size(); ++axis)
            cells.push_back(valueTitle(study.grid[axis].key, points[i].values[axis]));
        for (const ResultColumn& column : columns)
            cells.push_back(column.cell(data, i));
        if (hasMapping)
            cells.push_back(results[i].values.mapping);
        if (hasNotes)
            cells.push_back(isLeftOut(i) ? data.whyUnknown(i) : "");
    }
    const bool isCut = rows.size() == kMostRows;
    Table table(titles, std::move(rows));
    addDefinitions(table);
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

Result<std::string> studyReport(const StudyData& data)
{
    const Study& study = data.study;
    const auto drawn = TRY(charts(data));
    const auto rows = TRY(table(data));
    const std::string title = study.title.empty() ? "Study" : study.title;
    std::string answers;
    for (const AnsweredQuestion& answer : studyAnswers(data))
        answers += paragraph(answer.sentence);
    return htmlPage(title,
                    "<h1>" + markupText(title) + "</h1>\n" + answers + paragraph(study.question)
                        + drawn + setup(data) + rows + limits(study, data.results)
                        + fmt::format("<footer>{}</footer>\n", markupText(buildId())));
}

} // namespace profiler

#include "profiler/study/edit_study.h"

#include "engine/base/field.h"
#include "engine/base/text.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>

namespace profiler {

using namespace engine;

namespace {

auto optionIn(auto& axes, std::string_view key)
{
    return std::ranges::find(axes, key, &StudyAxis::key);
}

// Inserts an axis and keeps the axes sorted by key, as readStudy() returns them.
void addSorted(std::vector<StudyAxis>& axes, StudyAxis axis)
{
    axes.insert(std::ranges::lower_bound(axes, axis.key, {}, &StudyAxis::key), std::move(axis));
}

bool contains(const std::vector<std::string>& values, const std::string& value)
{
    return std::ranges::find(values, value) != values.end();
}

} // namespace

std::vector<std::string> axesOf(const StudyChart& chart)
{
    std::vector<std::string> keys{chart.series};
    if (chart.kind != StudyChart::Kind::Pareto)
        keys.push_back(chart.x);
    if (chart.kind == StudyChart::Kind::PhaseMap)
        keys.push_back(chart.rows);
    return keys;
}

void repairWhere(const Study& study, StudyChart& chart)
{
    const std::vector<std::string> used = axesOf(chart);
    std::map<std::string, std::string> where;
    for (const StudyAxis& axis : study.grid) {
        const auto old = chart.where.find(axis.key);
        const bool isNamed = old != chart.where.end();
        if (contains(used, axis.key) || axis.values.empty()
            || (axis.values.size() == 1 && !isNamed))
            continue;
        where[axis.key]
            = isNamed && contains(axis.values, old->second) ? old->second : axis.values.front();
    }
    chart.where = std::move(where);
}

namespace {

// Removes charts that use an axis which the study no longer has. Repairs the values at which the
// other charts, and the answers, are fixed.
void repairCharts(Study& study)
{
    for (StudyAnswer& answer : study.answers)
        std::erase_if(answer.where, [&study](const auto& where) {
            const StudyAxis* const axis = study.axis(where.first);
            return axis == nullptr || !contains(axis->values, where.second);
        });
    std::erase_if(study.charts, [&study](const StudyChart& chart) {
        return std::ranges::any_of(
            axesOf(chart), [&study](const std::string& key) { return study.axis(key) == nullptr; });
    });
    for (StudyChart& chart : study.charts)
        repairWhere(study, chart);
}

} // namespace

std::vector<std::string> optionValues(const Study& study, std::string_view key)
{
    if (const StudyAxis* const axis = study.axis(key))
        return axis->values;
    const auto fixed = optionIn(study.fixed, key);
    return fixed == study.fixed.end() ? std::vector<std::string>() : fixed->values;
}

void setOption(Study& study, std::string_view key, std::vector<std::string> values)
{
    const auto fixed = optionIn(study.fixed, key);
    const auto axis = optionIn(study.grid, key);
    if (axis != study.grid.end() && !values.empty()) {
        axis->values = std::move(values);
    } else if (fixed != study.fixed.end() && values.size() == 1) {
        fixed->values = std::move(values);
    } else {
        if (axis != study.grid.end())
            study.grid.erase(axis);
        if (fixed != study.fixed.end())
            study.fixed.erase(fixed);
        auto& axes = values.size() > 1 ? study.grid : study.fixed;
        if (!values.empty())
            addSorted(axes, {std::string(key), std::move(values)});
    }
    if (!study.compare.empty() && study.axis(study.compare) == nullptr)
        study.compare.clear();
    repairCharts(study);
}

void removeRatio(Study& study, std::size_t index)
{
    const std::string name = study.ratios[index].name;
    study.ratios.erase(study.ratios.begin() + static_cast<std::ptrdiff_t>(index));
    std::erase_if(study.charts,
                  [&name](const StudyChart& chart) { return chart.y == name || chart.x == name; });
    std::erase_if(study.answers, [&name](const StudyAnswer& answer) { return answer.y == name; });
}

namespace {

constexpr int kMostSteps = 1000;

std::string_view trimmed(std::string_view text)
{
    while (text.starts_with(' '))
        text.remove_prefix(1);
    while (text.ends_with(' '))
        text.remove_suffix(1);
    return text;
}

// Parses text such as "0 to 0.5, 21 steps".
Result<std::vector<std::string>> parseSteps(std::string_view text)
{
    const auto wrong = [text] {
        return fail(Error::Code::InvalidArgument,
                    fmt::format("'{}' is not a range; write it as 0 to 0.5, 11 steps", text));
    };
    const std::size_t to = text.find(" to "), comma = text.find(',');
    if (comma == std::string_view::npos || comma < to)
        return wrong();
    std::string_view count = trimmed(text.substr(comma + 1));
    if (count.ends_with("steps"))
        count = trimmed(count.substr(0, count.size() - 5));
    const auto from = parseNumber(trimmed(text.substr(0, to)));
    const auto until = parseNumber(trimmed(text.substr(to + 4, comma - to - 4)));
    const auto steps = parseInteger<int>(count);
    if (!from || !until || !steps)
        return wrong();
    if (*steps < 2 || *steps > kMostSteps)
        return fail(Error::Code::InvalidArgument,
                    fmt::format("{} steps: use 2 to {}", *steps, kMostSteps));
    std::vector<std::string> values;
    for (int i = 0; i < *steps; ++i)
        // Values are rounded to ten digits, so that a tenth becomes "0.1".
        values.push_back(numberText(
            *parseNumber(fmt::format("{:.10g}", *from + (*until - *from) * i / (*steps - 1)))));
    return values;
}

} // namespace

Result<std::vector<std::string>> parseValues(std::string_view text)
{
    if (text.find(" to ") != std::string_view::npos)
        return parseSteps(trimmed(text));
    std::vector<std::string> values;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        const std::string value(trimmed(text.substr(0, comma)));
        if (!value.empty() && !contains(values, value))
            values.push_back(value);
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return values;
}

std::string valuesText(const std::vector<std::string>& values)
{
    constexpr std::size_t kFewest = 5; // fewer values are not written as a range
    std::string list = fmt::format("{}", fmt::join(values, ", "));
    if (values.size() < kFewest)
        return list;
    const std::string range
        = fmt::format("{} to {}, {} steps", values.front(), values.back(), values.size());
    const auto steps = parseSteps(range);
    return steps && *steps == values ? range : list;
}

namespace {

// Inserts `text` as a boolean or a number if readStudy() would return the same text for it,
// otherwise as a string.
void insertValue(auto& into, const std::string& text)
{
    if (text == "true" || text == "false")
        into(text == "true");
    else if (const auto whole = parseInteger<std::int64_t>(text);
             whole && std::to_string(*whole) == text)
        into(*whole);
    else if (const auto number = parseNumber(text); number && fmt::format("{}", *number) == text)
        into(*number);
    else
        into(text);
}

toml::array listOf(const std::vector<std::string>& values)
{
    toml::array list;
    const auto into = [&list](const auto& value) { list.push_back(value); };
    for (const std::string& value : values)
        insertValue(into, value);
    return list;
}

toml::table choicesOf(const std::map<std::string, std::string>& choices)
{
    toml::table table;
    table.is_inline(true);
    for (const auto& [key, value] : choices) {
        const auto into = [&table, &key = key](const auto& of) { table.insert(key, of); };
        insertValue(into, value);
    }
    return table;
}

void addTexts(toml::table& table,
              std::initializer_list<std::pair<const char*, std::string_view>> all)
{
    for (const auto& [key, text] : all)
        if (!text.empty())
            table.insert(key, std::string(text));
}

toml::table tableOf(const StudyChart& chart)
{
    toml::table table;
    addTexts(table,
             {{"kind", StudyChart::kKinds[static_cast<std::size_t>(chart.kind)]},
              {"title", chart.title},
              {"x", chart.x},
              {"y", chart.y},
              {"series", chart.series},
              {"rows", chart.rows}});
    if (!chart.where.empty())
        table.insert("where", choicesOf(chart.where));
    return table;
}

toml::table tableOf(const StudyRatio& ratio)
{
    toml::table table;
    addTexts(table, {{"name", ratio.name}, {"metric", metricName(ratio.metric)}});
    if (ratio.inverse)
        table.insert("inverse", true);
    table.insert("baseline", choicesOf(ratio.baseline));
    return table;
}

toml::table tableOf(const StudyAnswer& answer)
{
    toml::table table;
    addTexts(table, {{"y", answer.y}});
    if (!answer.where.empty())
        table.insert("where", choicesOf(answer.where));
    return table;
}

toml::table tableOf(const std::map<std::string, std::vector<std::string>>& arguments)
{
    toml::table table;
    for (const auto& [key, words] : arguments)
        table.insert(key, listOf(words));
    return table;
}

toml::array tablesOf(const auto& all)
{
    toml::array list;
    for (const auto& one : all)
        list.push_back(tableOf(one));
    return list;
}

} // namespace

std::string pointsToml(Study study)
{
    study.title = study.question = study.limits = study.compare = "";
    study.onlyFitting = false;
    study.ratios.clear();
    study.charts.clear();
    study.answers.clear();
    return studyToml(study);
}

std::string studyToml(const Study& study)
{
    const std::string_view mode = study.mode == Study::Mode::Simulate
        ? std::string_view() // the default mode is not written
        : Study::kModes[static_cast<std::size_t>(study.mode)];
    toml::table table;
    addTexts(table,
             {{"title", study.title},
              {"question", study.question},
              {"limits", study.limits},
              {"mode", mode},
              {"compare", study.compare}});
    if (study.onlyFitting)
        table.insert("only_fitting", true);
    toml::table fixed, grid;
    for (const StudyAxis& axis : study.fixed) {
        const auto into = [&](const auto& value) { fixed.insert(axis.key, value); };
        insertValue(into, axis.values.front());
    }
    for (const StudyAxis& axis : study.grid)
        grid.insert(axis.key, listOf(axis.values));
    if (!fixed.empty())
        table.insert("fixed", std::move(fixed));
    table.insert("grid", std::move(grid));
    for (const auto& [key, arguments] :
         {std::pair("scheme_options", &study.schemeArguments),
          std::pair("case_options", &study.caseArguments), std::pair("files", &study.files)})
        if (!arguments->empty())
            table.insert(key, tableOf(*arguments));
    if (!study.ratios.empty())
        table.insert("ratio", tablesOf(study.ratios));
    if (!study.charts.empty())
        table.insert("chart", tablesOf(study.charts));
    if (!study.answers.empty())
        table.insert("answer", tablesOf(study.answers));
    std::ostringstream text;
    text << toml::toml_formatter(table) << '\n';
    return text.str();
}

namespace {

// Uses the compared axis as the series of a chart, and fixes all axes that the chart does not use
// at the values of `point`.
StudyChart through(const Study& study, StudyChart chart, const StudyPoint& point)
{
    chart.series = study.comparedAxis()->key;
    for (std::size_t i = 0; i < study.grid.size(); ++i)
        chart.where[study.grid[i].key] = point.values[i];
    repairWhere(study, chart);
    return chart;
}

} // namespace

StudyChart chartOver(const Study& study, StudyChart::Kind kind, std::string_view y,
                     std::string_view axis, const StudyPoint& point)
{
    StudyChart chart;
    chart.kind = kind;
    chart.x = axis;
    chart.y = y;
    return through(study, std::move(chart), point);
}

StudyChart frontOf(const Study& study, std::string_view x, std::string_view y,
                   const StudyPoint& point)
{
    StudyChart chart;
    chart.kind = StudyChart::Kind::Pareto;
    chart.x = x;
    chart.y = y;
    return through(study, std::move(chart), point);
}

} // namespace profiler

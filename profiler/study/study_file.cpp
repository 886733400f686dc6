#include "profiler/study/study_file.h"

#include "engine/base/field.h"
#include "engine/base/text.h"
#include "engine/base/try.h"
#include "engine/cost/spec_file.h"
#include "engine/schedules/scheme.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <sstream>

namespace profiler {

using namespace engine;

namespace {

// The texts of a table, which are read and written alike.
template<class T>
struct TextKey
{
    std::string_view key;
    std::string T::*member;
};
constexpr std::array<TextKey<Study>, 5> kStudyTexts{{{"title", &Study::title},
                                                     {"question", &Study::question},
                                                     {"limits", &Study::limits},
                                                     {"compare", &Study::compare},
                                                     {"repeat", &Study::repeat}}};
constexpr std::array<TextKey<StudyChart>, 7> kChartTexts{{{"title", &StudyChart::title},
                                                          {"along", &StudyChart::along},
                                                          {"best_over", &StudyChart::bestOver},
                                                          {"x", &StudyChart::x},
                                                          {"y", &StudyChart::y},
                                                          {"series", &StudyChart::series},
                                                          {"rows", &StudyChart::rows}}};
constexpr std::array<TextKey<StudyAnswer>, 6> kAnswerTexts{{{"y", &StudyAnswer::y},
                                                            {"best_over", &StudyAnswer::bestOver},
                                                            {"compare", &StudyAnswer::compare},
                                                            {"along", &StudyAnswer::along},
                                                            {"of", &StudyAnswer::of},
                                                            {"against", &StudyAnswer::against}}};

// The text of a key; nullptr if the table has none of this name.
template<class T>
std::string* textOf(const auto& keys, T& of, std::string_view key)
{
    const auto found = std::ranges::find(keys, key, &TextKey<T>::key);
    return found == keys.end() ? nullptr : &(of.*found->member);
}

bool contains(const std::vector<std::string>& values, const std::string& value)
{
    return std::ranges::find(values, value) != values.end();
}

class FirstError
{
public:
    void require(bool condition, const std::string& message)
    {
        if (!condition && m_error.empty())
            m_error = message;
    }

protected:
    std::string m_error;
};

// Checks whether the tables of a study fit together, and keeps the first error.
class StudyChecker : FirstError
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
        for (const auto& [name, key] :
             {std::pair("compare", m_study.compare), std::pair("repeat", m_study.repeat)})
            if (!key.empty())
                requireAxis(name, key);
        require(m_study.repeat.empty() || m_study.grid.size() > 1,
                "repeat is the only axis of [grid]; add one that is compared");
        for (const StudyRatio& ratio : m_study.ratios)
            check(ratio);
        for (const StudyChart& chart : m_study.charts)
            check(chart);
        for (const StudyAnswer& answer : m_study.answers)
            check(answer);
        checkCases();
        checkSize();
        return m_error;
    }
    // Why a ratio, chart or answer does not fit to the study; "" if it does.
    std::string fault(const auto& table)
    {
        m_error.clear();
        check(table);
        return m_error;
    }

private:
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
            require(contains(values, value),
                    fmt::format("[case_options] {0}: add \"{0}\" to `case` in [grid]", value));
    }

    void check(const StudyRatio& ratio)
    {
        require(m_study.axis(ratio.name) == nullptr,
                "[[ratio]] " + ratio.name + " is an axis; use another name");
        require(std::ranges::count(m_study.ratios, ratio.name, &StudyRatio::name) == 1,
                "[[ratio]] " + ratio.name + " occurs twice; use another name");
        require(
            !ratio.baseline.contains(m_study.repeat),
            fmt::format("[[ratio]] {}: the baseline fixes {}, the repeated axis, of which charts "
                        "show means; leave it out",
                        ratio.name, m_study.repeat));
        for (const auto& [key, value] : ratio.baseline)
            checkValue("[[ratio]] " + ratio.name, key, value);
    }

    // Checks that a column is no ratio to a baseline at one value of the axis `best_over`, because
    // every point has its own value of it.
    void checkBaseline(const std::string& where, const std::string& column,
                       const std::string& bestOver)
    {
        const StudyRatio* const ratio = m_study.ratio(column);
        require(ratio == nullptr || !ratio->baseline.contains(bestOver),
                fmt::format("{}: the baseline of {} fixes {}, the axis in best_over; leave out one",
                            where, column, bestOver));
    }

    void check(const StudyAnswer& answer)
    {
        using Kind = StudyAnswer::Kind;
        const std::string where
            = fmt::format("[[answer]] {}", StudyAnswer::kKinds[std::size_t(answer.kind)]);
        const bool isRatio = m_study.ratio(answer.y) != nullptr;
        requireColumn(where, "y", answer.y);
        for (const std::string& key : {answer.compare, answer.along, answer.bestOver})
            if (!key.empty())
                requireAxis(where, key);
        const StudyAxis* const compared
            = answer.compare.empty() ? m_study.comparedAxis() : m_study.axis(answer.compare);
        if (!m_error.empty() || compared == nullptr)
            return;
        checkBaseline(where, answer.y, answer.bestOver);
        for (const auto& [key, value] : answer.where)
            checkValue(where, key, value);
        for (const std::string& value : {answer.of, answer.against})
            if (!value.empty())
                checkValue(where, compared->key, value);
        const auto need = [&](bool condition, std::string_view text) {
            require(condition, fmt::format("{} {}", where, text));
        };
        const bool isPair = answer.kind == Kind::Crossing || answer.kind == Kind::Parts;
        need(!answer.of.empty() || (!isPair && (answer.kind != Kind::Ratio || isRatio)),
             fmt::format("needs `of`, a value of {}", compared->key));
        need(!isPair || !answer.against.empty(),
             fmt::format("needs `against`, a value of {}", compared->key));
        need(answer.of.empty() || answer.of != answer.against, "has equal values of and against");
        need(answer.kind != Kind::Crossing || !answer.along.empty(),
             "needs `along`, the axis along which the order may change");
        need(answer.along != compared->key, "has the compared axis as `along`");
        need(answer.bestOver.empty()
                 || (answer.bestOver != compared->key && answer.bestOver != answer.along
                     && !answer.where.contains(answer.bestOver)),
             "has an axis in best_over that it compares, has as `along` or fixes");
        need((answer.of.empty() || !answer.where.contains(compared->key))
                 && !answer.where.contains(answer.along),
             "fixes the compared axis or `along` in where; leave it out");
        need(answer.kind != Kind::Parts || answer.y == metricName(StudyMetric::Iteration),
             "is about the iteration; leave out y");
        need(answer.along.empty() || answer.kind != Kind::Ratio || !isRatio,
             "of a [[ratio]] has no `along`; give a metric as y");
        if (!answer.along.empty() || answer.kind == Kind::Parts)
            checkFixed(where, answer.where, {compared->key, answer.along, answer.bestOver});
    }

    void checkValue(const std::string& where, const std::string& key, const std::string& value)
    {
        requireAxis(where, key);
        if (const StudyAxis* const axis = m_study.axis(key))
            require(contains(axis->values, value),
                    fmt::format("{}: {} = {} is not in [grid]", where, key, value));
    }
    void requireAxis(const std::string& where, const std::string& key)
    {
        require(m_study.axis(key) != nullptr, fmt::format("{}: '{}' is not in [grid]", where, key));
    }
    void requireColumn(const std::string& where, const char* key, const std::string& name)
    {
        require(metricNamed(name) || m_study.ratio(name) != nullptr,
                fmt::format("{}: {} = '{}' is not a metric or a ratio", where, key, name));
    }

    void checkFixed(const std::string& at, const std::map<std::string, std::string>& where,
                    const std::vector<std::string>& used)
    {
        for (const StudyAxis& axis : m_study.grid)
            require(axis.values.size() == 1 || where.contains(axis.key)
                        || axis.key == m_study.repeat || contains(used, axis.key),
                    fmt::format("{}: {} has several values; name one, as in where = {{ {} = {} }}",
                                at, axis.key, axis.key, axis.values.front()));
    }

    void check(const StudyChart& chart)
    {
        const std::string where = fmt::format("[[chart]] '{}'", chart.title);
        using Kind = StudyChart::Kind;
        std::vector<std::string> used{chart.series};
        const bool isCurve = chart.kind == Kind::Lines && !chart.along.empty();
        const bool hasMetrics = chart.kind == Kind::Pareto || isCurve; // on both axes
        if (!hasMetrics)
            used.push_back(chart.x);
        if (chart.kind == Kind::PhaseMap)
            used.push_back(chart.rows);
        for (const std::string& key : {chart.along, chart.bestOver})
            if (!key.empty())
                used.push_back(key);
        require(chart.along.empty() || isCurve, where + ": only lines have `along`");
        requireColumn(where, "y", chart.y);
        if (hasMetrics)
            requireColumn(where, "x", chart.x);
        for (const std::string& key : used)
            requireAxis(where, key);
        for (const auto& [key, value] : chart.where)
            checkValue(where, key, value);
        for (const std::string& column : {chart.x, chart.y})
            checkBaseline(where, column, chart.bestOver);
        checkFixed(where, chart.where, used);
    }

    void checkSize()
    {
        constexpr double kMost = 1e6;
        require(m_study.size() <= kMost,
                fmt::format("the grid has {:.3g} points; at most 1,000,000 are possible",
                            m_study.size()));
    }

    const Study& m_study;
};

// Returns the index of a name; the number of names if it is not among them.
std::size_t placeOf(std::string_view name, const auto& names)
{
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

// Reads the tables of a study and keeps the first error.
class StudyReader : FirstError
{
public:
    StudyReader(const toml::table& table, std::string_view source)
        : m_table(table)
        , m_source(source)
    { }

    Result<Study> read()
    {
        for (const auto& [key, node] : m_table)
            readKey(std::string(key.str()), node);
        for (StudyChart& chart : m_study.charts)
            if (const StudyAxis* compared = m_study.comparedAxis();
                chart.series.empty() && compared != nullptr)
                chart.series = compared->key;
        if (m_error.empty())
            m_error = StudyChecker(m_study).run();
        if (!m_error.empty())
            return invalid(m_source + ": " + m_error);
        return std::move(m_study);
    }

private:
    void readKey(const std::string& key, const toml::node& node)
    {
        if (std::string* const text = textOf(kStudyTexts, m_study, key)) {
            require(node.is_string(), key + " must be a string");
            *text = node.value_or(std::string());
        } else if (key == "mode")
            m_study.mode = modeOf(node.value_or(std::string()));
        else if (key == "target_loss") {
            m_study.targetLoss = node.value<double>();
            require(m_study.targetLoss.has_value(), key + " must be a number, in nats per token");
        } else if (key == "only_fitting")
            m_study.onlyFitting = flagOf(key, node);
        else if (key == "fixed" || key == "grid")
            readAxes(key, node);
        else if (key == "scheme_options")
            readArguments(key, node, m_study.schemeArguments);
        else if (key == "case_options")
            readArguments(key, node, m_study.caseArguments);
        else if (key == "files")
            readFiles(node);
        else if (key == "ratio" || key == "chart" || key == "answer")
            readList(key, node);
        else
            require(
                false,
                fmt::format(
                    "unknown key '{}'; known are title, question, limits, compare, repeat, mode, "
                    "target_loss, only_fitting, [fixed], [grid], [scheme_options], [case_options], "
                    "[files], [[ratio]], [[chart]] and [[answer]]",
                    key));
    }

    bool flagOf(const std::string& key, const toml::node& node)
    {
        require(node.is_boolean(), key + " must be true or false");
        return node.value_or(false);
    }

    Study::Mode modeOf(const std::string& mode)
    {
        const auto known = modeNamed(mode);
        require(known && *known != Mode::Imported,
                fmt::format("mode '{}' is not one of simulate, emulate, live", mode));
        return known.value_or(Mode::Simulate);
    }

    // Converts a number, string or boolean to option text.
    std::string valueOf(const std::string& key, const toml::node& node)
    {
        if (const auto* text = node.as_string())
            return text->get();
        if (const auto* number = node.as_integer())
            return std::to_string(number->get());
        if (const auto* number = node.as_floating_point())
            return fmt::format("{}", number->get());
        if (const auto* flag = node.as_boolean())
            return flag->get() ? "true" : "false";
        require(false, key + " must be a number, a string, true or false");
        return "";
    }

    // The table of this name; an empty one if it is none.
    const toml::table& tableIn(const std::string& name, const toml::node& node)
    {
        static const toml::table kNone;
        require(node.is_table(), fmt::format("{0} must be a table: [{0}]", name));
        return node.is_table() ? *node.as_table() : kNone;
    }

    void readAxes(const std::string& name, const toml::node& node)
    {
        for (const auto& [key, value] : tableIn(name, node)) {
            StudyAxis axis{std::string(key.str()), {}};
            const std::string where = "[" + name + "] " + axis.key;
            if (const toml::array* const list = value.as_array())
                for (const toml::node& one : *list)
                    axis.values.push_back(valueOf(where, one));
            else
                axis.values.push_back(valueOf(where, value));
            if (axis.key == "mode")
                std::ranges::for_each(axis.values, [this](const auto& one) { modeOf(one); });
            const bool isGrid = name == "grid";
            for (const std::string& scheme : axis.values)
                require(axis.key != "scheme" || findScheme(scheme) != nullptr,
                        where + ": " + unknownScheme(scheme));
            require(isGrid ? !axis.values.empty() : axis.values.size() == 1,
                    where
                        + (isGrid ? " has no values" : " has several values; put it into [grid]"));
            for (std::size_t i = 0; i < axis.values.size(); ++i)
                require(std::ranges::count(axis.values, axis.values[i]) == 1,
                        fmt::format("{} has {} twice", where, axis.values[i]));
            require(axis.key != "json" && axis.key != "output" && axis.key != "force",
                    where + " is set by the study itself");
            (isGrid ? m_study.grid : m_study.fixed).push_back(std::move(axis));
        }
    }

    void readArguments(const std::string& name, const toml::node& node,
                       std::map<std::string, std::vector<std::string>>& into)
    {
        for (const auto& [key, value] : tableIn(name, node)) {
            const std::string where = fmt::format("[{}] {}", name, key.str());
            const toml::array* const list = value.as_array();
            require(list != nullptr, where + " must be a list of options, as in [\"--chunks\", 4]");
            if (list == nullptr)
                continue;
            std::vector<std::string>& words = into[std::string(key.str())];
            for (const toml::node& one : *list)
                words.push_back(valueOf(where, one));
            for (std::size_t i = 0; i < words.size(); ++i)
                if (words[i] == "--mode" && name != "files")
                    modeOf(i + 1 < words.size() ? words[i + 1] : "");
        }
    }

    void readFiles(const toml::node& node)
    {
        readArguments("files", node, m_study.files);
        for (const auto& [name, words] : m_study.files) {
            require(
                name.find('/') == std::string::npos
                    && (name.ends_with(".toml") || name.ends_with(".sqlite")
                        || name.ends_with(".csv"))
                    && !name.starts_with("results.") && !name.starts_with("point.")
                    && name != "study.toml",
                fmt::format("[files] {}: must be the name of a .toml, .sqlite or .csv file without "
                            "folders, and not results, point or study",
                            name));
            require(!words.empty()
                        && (words.front() == "devices" || words.front() == "run"
                            || words.front() == "search"),
                    fmt::format("[files] {}: begin with the command that writes it, devices, run "
                                "or search",
                                name));
        }
    }

    void readList(const std::string& key, const toml::node& node)
    {
        const toml::array* const list = node.as_array();
        require(list != nullptr, fmt::format("{0} must be a list of tables: [[{0}]]", key));
        if (list == nullptr)
            return;
        for (const toml::node& one : *list) {
            const toml::table* const table = one.as_table();
            require(table != nullptr, fmt::format("{0} must be a list of tables: [[{0}]]", key));
            if (table != nullptr)
                key == "ratio"       ? readRatio(*table)
                    : key == "chart" ? readChart(*table)
                                     : readAnswer(*table);
        }
    }

    std::map<std::string, std::string> readChoices(const std::string& key, const toml::node& node)
    {
        std::map<std::string, std::string> choices;
        const toml::table* const table = node.as_table();
        require(table != nullptr, key + " must be a table, as in { devices = 8 }");
        if (table != nullptr)
            for (const auto& [axis, value] : *table)
                choices[std::string(axis.str())] = valueOf(key, value);
        return choices;
    }

    void readRatio(const toml::table& table)
    {
        StudyRatio ratio;
        std::vector<StudyMetric> metrics; // set if `metric` is a list
        for (const auto& [key, node] : table) {
            const std::string text = node.value_or(std::string());
            if (key == "name")
                ratio.name = text;
            else if (key == "metric" && metricNamed(text))
                ratio.metric = *metricNamed(text);
            else if (const toml::array* const list = node.as_array(); key == "metric" && list)
                metrics = readMetrics(*list);
            else if (key == "inverse")
                ratio.inverse = flagOf("[[ratio]] inverse", node);
            else if (key == "baseline")
                ratio.baseline = readChoices("[[ratio]] baseline", node);
            else
                require(false, fmt::format("[[ratio]] unknown: {} = '{}'", key.str(), text));
        }
        const auto isLetter
            = [](char c) { return ('a' <= c && c <= 'z') || ('0' <= c && c <= '9') || c == '_'; };
        require(!ratio.name.empty() && std::ranges::all_of(ratio.name, isLetter)
                    && !isResultColumn(ratio.name),
                "[[ratio]] needs a name of a-z, 0-9 and _ that is not a column of the results");
        require(!ratio.baseline.empty(), "[[ratio]] needs a baseline, as in { scheme = \"1f1b\" }");
        const std::string name = ratio.name;
        for (const StudyMetric metric : metrics) {
            ratio.metric = metric;
            ratio.name = fmt::format("{}_{}", name, metricName(metric));
            m_study.ratios.push_back(ratio);
        }
        if (metrics.empty())
            m_study.ratios.push_back(std::move(ratio));
    }

    std::vector<StudyMetric> readMetrics(const toml::array& list)
    {
        std::vector<StudyMetric> metrics;
        for (const toml::node& node : list) {
            const auto metric = metricNamed(node.value_or(std::string()));
            require(metric.has_value(), "[[ratio]] metric: unknown metric in the list");
            metrics.push_back(metric.value_or(StudyMetric::Iteration));
        }
        return metrics;
    }

    // Reads the texts, the kind and `where` of a chart or an answer; returns whether it has a kind.
    template<class T>
    bool readTable(const std::string& name, const auto& keys, T& into, const toml::table& table)
    {
        bool hasKind = false;
        for (const auto& [key, node] : table) {
            const std::string where = fmt::format("[[{}]] {}", name, key.str());
            if (std::string* const text = textOf(keys, into, key.str()))
                *text = valueOf(where, node);
            else if (key == "where")
                into.where = readChoices(where, node);
            else if (key == "kind") {
                const std::string kind = node.value_or(std::string());
                into.kind = static_cast<typename T::Kind>(placeOf(kind, T::kKinds));
                hasKind = placeOf(kind, T::kKinds) < T::kKinds.size();
                require(hasKind,
                        fmt::format("{} '{}' is not one of {}", where, kind,
                                    fmt::join(T::kKinds, ", ")));
            } else
                require(false, fmt::format("[[{}]] unknown key '{}'", name, key.str()));
        }
        return hasKind;
    }

    void readAnswer(const toml::table& table)
    {
        StudyAnswer answer;
        if (!readTable("answer", kAnswerTexts, answer, table) && table.contains("y")
            && !metricNamed(answer.y))
            answer.kind = StudyAnswer::Kind::Ratio; // y is a [[ratio]]
        m_study.answers.push_back(std::move(answer));
    }

    void readChart(const toml::table& table)
    {
        StudyChart chart;
        chart.series.clear(); // the compared axis, unless it is given
        readTable("chart", kChartTexts, chart, table);
        m_study.charts.push_back(std::move(chart));
    }

    const toml::table& m_table;
    std::string m_source;
    Study m_study;
};

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

template<class T>
void addTexts(toml::table& table, const auto& keys, const T& of)
{
    for (const TextKey<T>& one : keys)
        if (!(of.*one.member).empty())
            table.insert(one.key, of.*one.member);
}

template<class T>
toml::table kindTable(const auto& keys, const T& of)
{
    toml::table table;
    table.insert("kind", std::string(T::kKinds[static_cast<std::size_t>(of.kind)]));
    addTexts(table, keys, of);
    if (!of.where.empty())
        table.insert("where", choicesOf(of.where));
    return table;
}

toml::table tableOf(const StudyChart& chart)
{
    return kindTable(kChartTexts, chart);
}

toml::table tableOf(const StudyAnswer& answer)
{
    return kindTable(kAnswerTexts, answer);
}

toml::table tableOf(const StudyRatio& ratio)
{
    toml::table table;
    table.insert("name", ratio.name);
    table.insert("metric", std::string(metricName(ratio.metric)));
    if (ratio.inverse)
        table.insert("inverse", true);
    table.insert("baseline", choicesOf(ratio.baseline));
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

auto optionIn(auto& axes, std::string_view key)
{
    return std::ranges::find(axes, key, &StudyAxis::key);
}

constexpr int kMostSteps = 1000;

std::string_view trimmed(std::string_view text)
{
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return text.substr(0, text.find_last_not_of(' ') + 1);
}

// Parses text such as "0 to 0.5, 21 steps".
Result<std::vector<std::string>> parseSteps(std::string_view text)
{
    const auto wrong
        = [text] { return invalid("'{}' is not a range; write it as 0 to 0.5, 11 steps", text); };
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
        return invalid("{} steps: use 2 to {}", *steps, kMostSteps);
    std::vector<std::string> values;
    for (int i = 0; i < *steps; ++i)
        // Values are rounded to ten digits, so that a tenth becomes "0.1".
        values.push_back(numberText(
            *parseNumber(fmt::format("{:.10g}", *from + (*until - *from) * i / (*steps - 1)))));
    return values;
}

} // namespace

Result<Study> readStudy(std::string_view toml, std::string_view source)
{
    const auto table = TRY(parseToml(toml, source));
    return StudyReader(table, source).read();
}

std::string pointsToml(Study study)
{
    study.title = study.question = study.limits = study.compare = study.repeat = "";
    study.onlyFitting = false;
    study.ratios.clear();
    study.charts.clear();
    study.answers.clear();
    return studyToml(study);
}

std::string studyToml(const Study& study)
{
    toml::table table;
    addTexts(table, kStudyTexts, study);
    if (study.mode != Study::Mode::Simulate)
        table.insert("mode", std::string(modeName(study.mode)));
    if (study.onlyFitting)
        table.insert("only_fitting", true);
    if (study.targetLoss)
        table.insert("target_loss", *study.targetLoss);
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
            axes.insert(std::ranges::lower_bound(axes, key, {}, &StudyAxis::key),
                        {std::string(key), std::move(values)});
    }
    for (std::string* const axisKey : {&study.compare, &study.repeat})
        if (!axisKey->empty() && study.axis(*axisKey) == nullptr)
            axisKey->clear();
    StudyChecker checker(study);
    const auto isUnfit = [&](const auto& table) { return !checker.fault(table).empty(); };
    std::erase_if(study.ratios, isUnfit);
    std::erase_if(study.charts, isUnfit);
    std::erase_if(study.answers, isUnfit);
}

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

} // namespace profiler

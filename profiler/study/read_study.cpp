#include "engine/base/try.h"
#include "engine/cost/spec_file.h"
#include "engine/schedules/scheme.h"
#include "profiler/study/check_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace profiler {

using namespace engine;

namespace {

// Returns the index of a name; the number of names if it is not among them.
std::size_t placeOf(std::string_view name, const auto& names)
{
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

// Reads the tables of a study and keeps the first error.
class StudyReader
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
            m_error = studyFault(m_study);
        if (!m_error.empty())
            return fail(Error::Code::InvalidArgument, m_source + ": " + m_error);
        return std::move(m_study);
    }

private:
    void require(bool condition, const std::string& message)
    {
        if (!condition && m_error.empty())
            m_error = message;
    }

    void readKey(const std::string& key, const toml::node& node)
    {
        const auto text = [&](std::string& field) {
            require(node.is_string(), key + " must be a string");
            field = node.value_or(std::string());
        };
        if (key == "title")
            text(m_study.title);
        else if (key == "question")
            text(m_study.question);
        else if (key == "limits")
            text(m_study.limits);
        else if (key == "compare")
            text(m_study.compare);
        else if (key == "mode")
            m_study.mode = modeOf(node.value_or(std::string()));
        else if (key == "only_fitting")
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
                fmt::format("unknown key '{}'; known are title, question, limits, compare, mode, "
                            "only_fitting, [fixed], [grid], [scheme_options], [case_options], "
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
        const std::size_t at = placeOf(mode, Study::kModes);
        require(at < Study::kModes.size(),
                fmt::format("mode '{}' is not one of {}", mode, fmt::join(Study::kModes, ", ")));
        return static_cast<Study::Mode>(at);
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

    void readAxes(const std::string& name, const toml::node& node)
    {
        const toml::table* const table = node.as_table();
        require(table != nullptr, name + " must be a table: [" + name + "]");
        if (table == nullptr)
            return;
        for (const auto& [key, value] : *table) {
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
                        fmt::format("{}: unknown scheme '{}'; bscope schemes lists them", where,
                                    scheme));
            require(isGrid ? !axis.values.empty() : axis.values.size() == 1,
                    where
                        + (isGrid ? " has no values" : " has several values; put it into [grid]"));
            require(axis.key != "json" && axis.key != "output" && axis.key != "force",
                    where + " is set by the study itself");
            (isGrid ? m_study.grid : m_study.fixed).push_back(std::move(axis));
        }
    }

    void readArguments(const std::string& name, const toml::node& node,
                       std::map<std::string, std::vector<std::string>>& into)
    {
        const toml::table* const table = node.as_table();
        require(table != nullptr, fmt::format("{0} must be a table: [{0}]", name));
        if (table == nullptr)
            return;
        for (const auto& [key, value] : *table) {
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
            require(name.find('/') == std::string::npos
                        && (name.ends_with(".toml") || name.ends_with(".sqlite"))
                        && !name.starts_with("results.") && !name.starts_with("point.")
                        && name != "study.toml",
                    fmt::format("[files] {}: must be the name of a .toml or .sqlite file without "
                                "folders, and not results, point or study",
                                name));
            require(!words.empty() && (words.front() == "devices" || words.front() == "run"),
                    fmt::format("[files] {}: begin with the command that writes it, devices or "
                                "run",
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

    void readAnswer(const toml::table& table)
    {
        StudyAnswer answer;
        for (const auto& [key, node] : table)
            if (key == "y")
                answer.y = node.value_or(std::string());
            else if (key == "where")
                answer.where = readChoices("[[answer]] where", node);
            else
                require(false, fmt::format("[[answer]] unknown key '{}'", key.str()));
        m_study.answers.push_back(std::move(answer));
    }

    void readChart(const toml::table& table)
    {
        StudyChart chart;
        chart.series.clear(); // the compared axis, unless it is given
        for (const auto& [key, node] : table) {
            const std::string text = node.value_or(std::string());
            const std::size_t kind = placeOf(text, StudyChart::kKinds);
            if (key == "kind" && kind < StudyChart::kKinds.size())
                chart.kind = static_cast<StudyChart::Kind>(kind);
            else if (key == "kind")
                require(false,
                        fmt::format("[[chart]] kind '{}' is not one of {}", text,
                                    fmt::join(StudyChart::kKinds, ", ")));
            else if (key == "title")
                chart.title = text;
            else if (key == "x")
                chart.x = text;
            else if (key == "y")
                chart.y = text;
            else if (key == "series")
                chart.series = text;
            else if (key == "rows")
                chart.rows = text;
            else if (key == "where")
                chart.where = readChoices("[[chart]] where", node);
            else
                require(false, fmt::format("[[chart]] unknown key '{}'", key.str()));
        }
        m_study.charts.push_back(std::move(chart));
    }

    const toml::table& m_table;
    std::string m_source, m_error;
    Study m_study;
};

} // namespace

Result<Study> readStudy(std::string_view toml, std::string_view source)
{
    const auto table = TRY(parseToml(toml, source));
    return StudyReader(table, source).read();
}

} // namespace profiler

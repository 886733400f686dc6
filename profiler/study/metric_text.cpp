#include "profiler/study/metric_text.h"

#include "engine/schedules/scheme.h"
#include "profiler/study/option_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace profiler {

using namespace engine;

namespace {
bool isTime(const std::vector<StudyResult>& results)
{
    return std::ranges::any_of(
        results, [](const StudyResult& result) { return result.values.unit == "ns"; });
}

// Separates groups of three digits by thin spaces: "1 020 404".
std::string withGroups(std::string digits)
{
    const int first = digits.starts_with('-') ? 1 : 0;
    for (int at = static_cast<int>(digits.size()) - 3; at > first; at -= 3)
        digits.insert(static_cast<std::size_t>(at), "\u2009");
    return digits;
}

std::string withSpaces(std::string_view name)
{
    std::string text(name);
    std::ranges::replace(text, '_', ' ');
    return text;
}

// "Speed-up over 1F1B" for "speed_up_over_1f1b"
std::string ratioTitle(std::string_view name)
{
    std::string title;
    for (std::size_t at = 0; at <= name.size();) {
        const std::size_t end = std::min(name.find('_', at), name.size());
        const std::string word(name.substr(at, end - at));
        const char* const between = title.empty() ? ""
            : title == "speed" && word == "up"    ? "-"
                                                  : " ";
        title += between + valueTitle("scheme", word);
        at = end + 1;
    }
    if (!title.empty())
        title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
    return title;
}
bool isPercentage(std::string_view column)
{
    return column == "bubble" || column == "mfu" || column == "cpu_share";
}
} // namespace

double shownFactor(const std::vector<StudyResult>& results, std::string_view column)
{
    const auto metric = metricNamed(column); // nullopt for a ratio, which is shown as it is
    const bool isTimeColumn = metric
        && (*metric == StudyMetric::Iteration || *metric == StudyMetric::IterationLow
            || *metric == StudyMetric::IterationHigh
            || (*metric >= StudyMetric::Forward && *metric <= StudyMetric::OptimizerHigh));
    return isPercentage(column)                               ? 100
        : column == "peak_bytes" || column == "device_memory" ? 1.0 / (1 << 30)
        : isTimeColumn && isTime(results)                     ? 1e-6
                                                              : 1;
}

Result<std::vector<std::optional<double>>> shownColumn(const Study& study,
                                                       const std::vector<StudyPoint>& points,
                                                       const std::vector<StudyResult>& results,
                                                       std::string_view name)
{
    auto column = columnOf(study, points, results, name);
    const double factor = shownFactor(results, name);
    if (column)
        for (auto& value : *column)
            value = value ? std::optional(*value * factor) : std::nullopt;
    return column;
}

std::string metricNumber(std::string_view column, double value)
{
    return fixedNumber(value, metricDecimals(column, value));
}

int metricDecimals(std::string_view column, double greatest)
{
    const double size = std::abs(greatest);
    return column == "messages" ? 0
        : isPercentage(column)  ? 1
        : size >= 100           ? 0
        : size >= 10            ? 1
                                : 2;
}

int tickDecimals(double step)
{
    return std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
}

std::string fixedNumber(double value, int decimals)
{
    const std::string digits = fmt::format("{:.{}f}", value, decimals);
    return std::abs(value) >= 1e4 && decimals == 0 ? withGroups(digits) : digits;
}

std::string valueTitle(std::string_view key, const std::string& value)
{
    if (key == "case") // the study itself names the cases
        return withSpaces(value);
    const Scheme* const scheme = key == "scheme" ? findScheme(value) : nullptr;
    return scheme == nullptr ? value
                             : std::string(scheme->title.substr(0, scheme->title.find(" (")));
}

std::vector<std::string> titlesOf(const StudyAxis& axis)
{
    std::vector<std::string> titles;
    for (const std::string& value : axis.values)
        titles.push_back(valueTitle(axis.key, value));
    return titles;
}

std::string whereText(const std::map<std::string, std::string>& where)
{
    std::string text;
    for (const auto& [key, value] : where)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", optionWord(key),
                            valueTitle(key, value));
    return text;
}

bool lessIsBetter(const Study& study, std::string_view column)
{
    const auto ratio = std::ranges::find(study.ratios, column, &StudyRatio::name);
    const std::string_view metric
        = ratio == study.ratios.end() ? column : metricName(ratio->metric);
    const bool less = metric != "tokens_per_second" && metric != "mfu" && metric != "fits"
        && metric != "cpu_share";
    return ratio != study.ratios.end() && ratio->inverse ? !less : less;
}

std::string columnTitle(const Study& study, const std::vector<StudyResult>& results,
                        std::string_view column)
{
    if (std::ranges::find(study.ratios, column, &StudyRatio::name) != study.ratios.end())
        return ratioTitle(column);
    for (std::size_t i = 0; i < kStudyMetrics; ++i)
        if (metricName(static_cast<StudyMetric>(i)) == column) {
            std::string title(metricTitle(static_cast<StudyMetric>(i)));
            const bool isTimed = intervalOf(static_cast<StudyMetric>(i)).has_value();
            return isTimed ? title + (isTime(results) ? ", ms" : ", units") : title;
        }
    return std::string(column);
}

} // namespace profiler

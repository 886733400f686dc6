#include "profiler/study/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace profiler {

using namespace engine;

namespace {

struct MetricText
{
    std::string_view name, title;
};
constexpr std::array<MetricText, kStudyMetrics> kMetrics{
    {{"iteration", "Iteration"},
     {"bubble", "Bubble, %"},
     {"peak_stash", "Peak stash, M_a"},
     {"weights", "Weights, M_theta"},
     {"peak_bytes", "Peak memory, GiB"},
     {"messages", "Messages"},
     {"tokens_per_second", "Tokens per second"},
     {"mfu", "MFU, %"},
     {"fits", "Fits"},
     {"device_memory", "Device memory, GiB"},
     {"iteration_low", "Iteration, lower bound"},
     {"iteration_high", "Iteration, upper bound"},
     {"loss", "Loss, nats per token"}}};

void appendOption(std::vector<std::string>& arguments, const std::string& key,
                  const std::string& value)
{
    if (value == "false")
        return;
    arguments.push_back("--" + key);
    if (value != "true")
        arguments.push_back(value);
}

} // namespace

std::string_view metricName(StudyMetric metric)
{
    return kMetrics[static_cast<std::size_t>(metric)].name;
}

std::optional<StudyMetric> metricNamed(std::string_view name)
{
    for (std::size_t i = 0; i < kStudyMetrics; ++i)
        if (kMetrics[i].name == name)
            return static_cast<StudyMetric>(i);
    return std::nullopt;
}

std::string_view metricTitle(StudyMetric metric)
{
    return kMetrics[static_cast<std::size_t>(metric)].title;
}

const StudyAxis* Study::axis(std::string_view key) const
{
    const auto found = std::ranges::find(grid, key, &StudyAxis::key);
    return found == grid.end() ? nullptr : &*found;
}

const StudyAxis* Study::comparedAxis() const
{
    const StudyAxis* const named = axis(compare.empty() ? "scheme" : compare);
    return named != nullptr || grid.empty() ? named : &grid.front();
}

std::optional<std::size_t> pointAt(const Study& study, const std::vector<std::string>& values)
{
    std::size_t index = 0;
    for (std::size_t i = 0; i < study.grid.size(); ++i) {
        const auto& known = study.grid[i].values;
        const auto at = std::ranges::find(known, values[i]);
        if (at == known.end())
            return std::nullopt;
        index = index * known.size() + static_cast<std::size_t>(at - known.begin());
    }
    return index;
}

std::vector<StudyPoint> pointsOf(const Study& study)
{
    std::vector<StudyPoint> points(1);
    for (const StudyAxis& axis : study.grid) {
        std::vector<StudyPoint> longer;
        for (const StudyPoint& point : points)
            for (const std::string& value : axis.values) {
                longer.push_back(point);
                longer.back().values.push_back(value);
            }
        points = std::move(longer);
    }
    for (StudyPoint& point : points) {
        std::string scheme;
        for (const StudyAxis& axis : study.fixed) {
            appendOption(point.arguments, axis.key, axis.values.front());
            scheme = axis.key == "scheme" ? axis.values.front() : scheme;
        }
        for (std::size_t i = 0; i < study.grid.size(); ++i) {
            appendOption(point.arguments, study.grid[i].key, point.values[i]);
            scheme = study.grid[i].key == "scheme" ? point.values[i] : scheme;
        }
        if (const auto own = study.schemeArguments.find(scheme); own != study.schemeArguments.end())
            point.arguments.insert(point.arguments.end(), own->second.begin(), own->second.end());
    }
    return points;
}

namespace {

// The point with the values of a baseline.
std::size_t baselineOf(const Study& study, const StudyPoint& point, const StudyRatio& ratio)
{
    std::vector<std::string> values = point.values;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (const auto fixed = ratio.baseline.find(study.grid[i].key);
            fixed != ratio.baseline.end())
            values[i] = fixed->second;
    return pointAt(study, values).value();
}

} // namespace

std::optional<double> valueOf(const Study& study, const std::vector<StudyPoint>& points,
                              const std::vector<StudyResult>& results, std::string_view column,
                              std::size_t point)
{
    const auto& own = results[point].values.of;
    if (study.onlyFitting && own[StudyMetric::Fits] == 0)
        return std::nullopt;
    if (const auto metric = metricNamed(column))
        return own[*metric];
    const auto ratio = std::ranges::find(study.ratios, column, &StudyRatio::name);
    if (ratio == study.ratios.end() || !own[ratio->metric])
        return std::nullopt;
    const auto& base = results[baselineOf(study, points[point], *ratio)].values.of[ratio->metric];
    if (!base || *base <= 0 || *own[ratio->metric] <= 0)
        return std::nullopt;
    return ratio->inverse ? *base / *own[ratio->metric] : *own[ratio->metric] / *base;
}

Result<std::vector<std::optional<double>>> columnOf(const Study& study,
                                                    const std::vector<StudyPoint>& points,
                                                    const std::vector<StudyResult>& results,
                                                    std::string_view name)
{
    if (!metricNamed(name)
        && std::ranges::find(study.ratios, name, &StudyRatio::name) == study.ratios.end())
        return fail(Error::Code::NotFound, fmt::format("no metric or ratio '{}'", name));
    std::vector<std::optional<double>> column;
    for (std::size_t i = 0; i < points.size(); ++i)
        column.push_back(valueOf(study, points, results, name, i));
    return column;
}

} // namespace profiler

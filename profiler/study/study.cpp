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
     {"fits", "Fits"}}};

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
    std::size_t index = 0;
    for (std::size_t i = 0; i < study.grid.size(); ++i) {
        const StudyAxis& axis = study.grid[i];
        const auto fixed = ratio.baseline.find(axis.key);
        const std::string& value = fixed == ratio.baseline.end() ? point.values[i] : fixed->second;
        const auto at = std::ranges::find(axis.values, value) - axis.values.begin();
        index = index * axis.values.size() + static_cast<std::size_t>(at);
    }
    return index;
}

} // namespace

Result<std::vector<std::optional<double>>> columnOf(const Study& study,
                                                    const std::vector<StudyPoint>& points,
                                                    const std::vector<StudyResult>& results,
                                                    std::string_view name)
{
    const auto ratio = std::ranges::find(study.ratios, name, &StudyRatio::name);
    const auto metric = metricNamed(name);
    if (!metric && ratio == study.ratios.end())
        return fail(Error::Code::NotFound, fmt::format("no metric or ratio '{}'", name));
    std::vector<std::optional<double>> column;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto& own = results[i].values.of;
        const bool isLeftOut = study.onlyFitting && own[StudyMetric::Fits] == 0;
        auto& value = column.emplace_back();
        if (isLeftOut)
            continue;
        if (metric) {
            value = own[*metric];
            continue;
        }
        const auto& base = results[baselineOf(study, points[i], *ratio)].values.of[ratio->metric];
        if (own[ratio->metric] && base && *base > 0 && *own[ratio->metric] > 0)
            value = ratio->inverse ? *base / *own[ratio->metric] : *own[ratio->metric] / *base;
    }
    return column;
}

} // namespace profiler

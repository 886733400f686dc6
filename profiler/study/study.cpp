#include "profiler/study/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace profiler {

using namespace engine;

namespace {

// The titles have the units in which charts show the values.
constexpr std::array<MeasureInfo, kStudyMetrics> kMetrics{{
    {"iteration", "Iteration", Unit::Time, kData, Better::Less},
    {"bubble", "Bubble, %", Unit::Share, kData, Better::Less},
    {"peak_stash", "Peak stash, M\u2090", Unit::Activations, kData, Better::Less},
    {"weights", "Weights, M\u03B8", Unit::Weights, kData, Better::Less},
    {"peak_bytes", "Peak memory, GiB", Unit::Bytes, kData, Better::Less},
    {"messages", "Messages", Unit::None, kData, Better::Less},
    {"tokens_per_second", "Tokens/s", Unit::None, kData, Better::More},
    {"mfu", "MFU, %", Unit::Share, kData, Better::More},
    {"fits", "Fits", Unit::None, kData, Better::More},
    {"device_memory", "Device memory, GiB", Unit::Bytes, kData, Better::Less},
    {"usable_memory", "Usable memory, GiB", Unit::Bytes, kData, Better::Less},
    {"iteration_low", "Iteration, lower bound", Unit::Time, kData, Better::Less},
    {"iteration_high", "Iteration, upper bound", Unit::Time, kData, Better::Less},
    {"loss", "Loss, nats per token", Unit::Loss, kData, Better::Less},
    {"forward", "F", Unit::Time, kData, Better::Less},
    {"forward_low", "F, lower bound", Unit::Time, kData, Better::Less},
    {"forward_high", "F, upper bound", Unit::Time, kData, Better::Less},
    {"backward", "B", Unit::Time, kData, Better::Less},
    {"backward_low", "B, lower bound", Unit::Time, kData, Better::Less},
    {"backward_high", "B, upper bound", Unit::Time, kData, Better::Less},
    {"backward_input", "I", Unit::Time, kData, Better::Less},
    {"backward_input_low", "I, lower bound", Unit::Time, kData, Better::Less},
    {"backward_input_high", "I, upper bound", Unit::Time, kData, Better::Less},
    {"backward_weight", "W", Unit::Time, kData, Better::Less},
    {"backward_weight_low", "W, lower bound", Unit::Time, kData, Better::Less},
    {"backward_weight_high", "W, upper bound", Unit::Time, kData, Better::Less},
    {"optimizer", "Optimizer", Unit::Time, kData, Better::Less},
    {"optimizer_low", "Optimizer, lower bound", Unit::Time, kData, Better::Less},
    {"optimizer_high", "Optimizer, upper bound", Unit::Time, kData, Better::Less},
    {"cpu_share", "CPU share, %", Unit::Share, kData, Better::More},
}};

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

const MeasureInfo& metricInfo(StudyMetric metric)
{
    return kMetrics[static_cast<std::size_t>(metric)];
}

std::string_view metricName(StudyMetric metric)
{
    return metricInfo(metric).key;
}

std::optional<StudyMetric> metricNamed(std::string_view name)
{
    for (std::size_t i = 0; i < kStudyMetrics; ++i)
        if (kMetrics[i].key == name)
            return static_cast<StudyMetric>(i);
    return std::nullopt;
}

bool isResultColumn(std::string_view name)
{
    static constexpr std::array<std::string_view, 5> kOther{"point", "unit", "mapping", "error",
                                                            "arguments"};
    return metricNamed(name) || std::ranges::find(kOther, name) != kOther.end();
}

std::string_view metricTitle(StudyMetric metric)
{
    return metricInfo(metric).title;
}

std::optional<std::pair<StudyMetric, StudyMetric>> intervalOf(StudyMetric metric)
{
    const std::string name(metricName(metric));
    const auto low = metricNamed(name + "_low"), high = metricNamed(name + "_high");
    return low && high ? std::optional(std::pair(*low, *high)) : std::nullopt;
}

MemoryCapacity memoryOf(const StudyValues& values)
{
    const double all = values.of[StudyMetric::DeviceMemory].value_or(0);
    const double usable = values.of[StudyMetric::UsableMemory].value_or(all);
    return {std::llround(all), all > 0 ? 100 * (1 - usable / all) : 0};
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

bool Study::isMeasured() const
{
    const auto measures = [](const std::vector<std::string>& values) {
        return std::ranges::any_of(values, [](const std::string& value) {
            return value == kModes[1] || value == kModes[2];
        });
    };
    const auto sets
        = [&](const StudyAxis& axis) { return axis.key == "mode" && measures(axis.values); };
    return mode != Mode::Simulate || !files.empty() || std::ranges::any_of(fixed, sets)
        || std::ranges::any_of(grid, sets)
        || std::ranges::any_of(caseArguments,
                               [&](const auto& one) { return measures(one.second); });
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

namespace {

// Appends the options that a value of an axis stands for.
void addValue(const Study& study, StudyPoint& point, const std::string& key,
              const std::string& value)
{
    if (key == "mode")
        point.mode = static_cast<Study::Mode>(std::ranges::find(Study::kModes, value)
                                              - Study::kModes.begin());
    else if (key != "case")
        appendOption(point.arguments, key, value);
    const auto& own = key == "case" ? study.caseArguments : study.schemeArguments;
    const auto found = own.find(value);
    if ((key != "case" && key != "scheme") || found == own.end())
        return;
    const auto& words = found->second;
    for (std::size_t i = 0; i < words.size(); ++i)
        if (words[i] == "--mode" && i + 1 < words.size())
            addValue(study, point, "mode", words[++i]);
        else
            point.arguments.push_back(words[i]);
}

} // namespace

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
        point.mode = study.mode;
        for (const StudyAxis& axis : study.fixed)
            addValue(study, point, axis.key, axis.values.front());
        for (std::size_t i = 0; i < study.grid.size(); ++i)
            addValue(study, point, study.grid[i].key, point.values[i]);
    }
    return points;
}

namespace {

// Returns the baseline of a ratio for a point: the point with the baseline's values on the axes
// that the baseline names, and with the values of `point` on all other axes.
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

std::optional<std::pair<double, double>> intervalOf(const Study& study,
                                                    const std::vector<StudyPoint>& points,
                                                    const std::vector<StudyResult>& results,
                                                    std::string_view column, std::size_t point)
{
    using Interval = std::optional<std::pair<double, double>>;
    const auto of = [&](StudyMetric metric, std::size_t at) -> Interval {
        const auto ends = intervalOf(metric);
        const auto& values = results[at].values.of;
        if (!ends || !values[ends->first] || !values[ends->second])
            return std::nullopt;
        return std::pair(*values[ends->first], *values[ends->second]);
    };
    if (!valueOf(study, points, results, column, point))
        return std::nullopt;
    if (const auto metric = metricNamed(column))
        return of(*metric, point);
    const auto ratio = std::ranges::find(study.ratios, column, &StudyRatio::name);
    const std::size_t base = baselineOf(study, points[point], *ratio);
    const Interval own = of(ratio->metric, point), other = of(ratio->metric, base);
    if (base == point || (!own && !other))
        return std::nullopt;
    const auto ends = [&](const Interval& interval, std::size_t at) {
        const double exact = results[at].values.of[ratio->metric].value_or(0);
        return interval.value_or(std::pair(exact, exact));
    };
    const auto [low, high] = ends(ratio->inverse ? other : own, ratio->inverse ? base : point);
    const auto [least, most] = ends(ratio->inverse ? own : other, ratio->inverse ? point : base);
    return least > 0 ? std::optional(std::pair(low / most, high / least)) : std::nullopt;
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

#include "profiler/study/study.h"

#include "engine/schedules/scheme.h"
#include "profiler/study/metric_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

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
    {"loss", "Loss, nats", Unit::Loss, kData, Better::Less},
    {"forward", "F", Unit::Time, kData, Better::Less},
    {"backward", "B", Unit::Time, kData, Better::Less},
    {"backward_input", "I", Unit::Time, kData, Better::Less},
    {"backward_weight", "W", Unit::Time, kData, Better::Less},
    {"optimizer", "Optimizer", Unit::Time, kData, Better::Less},
    {"cpu_share", "CPU share, %", Unit::Share, kData, Better::More},
    {"exposed", "Exposed communication", Unit::Time, kData, Better::Less},
    {"local_copies", "Local copies", Unit::None, kData, Better::Less},
    {"memory_balance", "Memory balance", Unit::None, kData, Better::Less},
    {"training_time", "Training time", Unit::Time, kData, Better::Less},
    {"tokens", "Tokens", Unit::None, kData, Better::Less},
    {"time_to_loss", "Time to the loss", Unit::Time, kData, Better::Less},
    {"tokens_to_loss", "Tokens to the loss", Unit::None, kData, Better::Less},
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
    for (const std::string_view end : {"_low", "_high"})
        if (name.ends_with(end) && metricNamed(name.substr(0, name.size() - end.size())))
            return true;
    return metricNamed(name) || std::ranges::find(kOther, name) != kOther.end();
}

MemoryCapacity StudyValues::memory() const
{
    const double all = of[StudyMetric::DeviceMemory].value_or(0);
    const double usable = of[StudyMetric::UsableMemory].value_or(all);
    return {std::llround(all), all > 0 ? 100 * (1 - usable / all) : 0};
}

const StudyAxis* Study::axis(std::string_view key) const
{
    const auto found = std::ranges::find(grid, key, &StudyAxis::key);
    return found == grid.end() ? nullptr : &*found;
}

std::size_t Study::place(std::string_view key) const
{
    return static_cast<std::size_t>(std::ranges::find(grid, key, &StudyAxis::key) - grid.begin());
}

const StudyRatio* Study::ratio(std::string_view name) const
{
    const auto found = std::ranges::find(ratios, name, &StudyRatio::name);
    return found == ratios.end() ? nullptr : &*found;
}

const StudyAxis* Study::comparedAxis() const
{
    if (!compare.empty())
        return axis(compare);
    const auto varies = [this](const StudyAxis* axis) {
        return axis != nullptr && axis->values.size() > 1 && axis->key != repeat;
    };
    for (const std::string_view usual : {"scheme", "case"})
        if (varies(axis(usual)))
            return axis(usual);
    const auto other = std::ranges::find_if(grid, [&](const auto& one) { return varies(&one); });
    return other != grid.end() ? &*other : grid.empty() ? nullptr : &grid.front();
}

bool Study::isMeasured() const
{
    const auto measures = [](const std::vector<std::string>& values) {
        return std::ranges::any_of(values, [](const std::string& value) {
            return modeNamed(value).value_or(Mode::Simulate) != Mode::Simulate;
        });
    };
    const auto sets
        = [&](const StudyAxis& axis) { return axis.key == "mode" && measures(axis.values); };
    const auto records
        = [](const auto& file) { return file.second.empty() || file.second.front() != "search"; };
    return mode != Mode::Simulate || std::ranges::any_of(files, records)
        || std::ranges::any_of(fixed, sets) || std::ranges::any_of(grid, sets)
        || std::ranges::any_of(caseArguments,
                               [&](const auto& one) { return measures(one.second); });
}

double Study::size() const
{
    double points = 1;
    for (const StudyAxis& axis : grid)
        points *= static_cast<double>(axis.values.size());
    return points;
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

// An axis such as `concat` sets that option of the schemes that have it, and no other scheme.
void appendSchemeOption(const Study& study, StudyPoint& point, const std::string& key,
                        const std::string& value)
{
    std::string scheme = "bitpipe"; // the default of the commands
    for (const StudyAxis& axis : study.fixed)
        if (axis.key == "scheme")
            scheme = axis.values.front();
    for (std::size_t i = 0; i < study.grid.size(); ++i)
        if (study.grid[i].key == "scheme")
            scheme = point.values[i];
    for (const SchemeOption& option : findScheme(scheme)->options)
        if (option.key == key
            && (option.isOpen() || std::ranges::find(option.values, value) != option.values.end()))
            point.arguments.insert(point.arguments.end(), {"--set", key + "=" + value});
}

// Appends the options that a value of an axis stands for.
void addValue(const Study& study, StudyPoint& point, const std::string& key,
              const std::string& value)
{
    if (key == "mode")
        point.mode = modeNamed(value).value_or(Mode::Simulate);
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
    std::map<std::string, bool> isOfSchemes; // asked once, because a study may have 1e6 points
    for (const auto* axes : {&study.fixed, &study.grid})
        for (const StudyAxis& axis : *axes)
            isOfSchemes[axis.key] = isSchemeOption(axis.key);
    for (StudyPoint& point : points) {
        const auto add = [&](const std::string& key, const std::string& value) {
            (isOfSchemes.at(key) ? appendSchemeOption : addValue)(study, point, key, value);
        };
        point.mode = study.mode;
        for (const StudyAxis& axis : study.fixed)
            add(axis.key, axis.values.front());
        for (std::size_t i = 0; i < study.grid.size(); ++i)
            add(study.grid[i].key, point.values[i]);
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

StudyData::StudyData(Study of)
    : study(std::move(of))
    , points(pointsOf(study))
    , results(points.size())
{ }

const std::string& StudyData::valueOf(std::size_t point, std::string_view key) const
{
    return points[point].values[study.place(key)];
}

bool StudyData::isTooLarge(std::size_t point) const
{
    return study.onlyFitting && results[point].values.of[StudyMetric::Fits] == 0;
}

std::string StudyData::whyUnknown(std::size_t point) const
{
    const StudyResult& result = results[point];
    if (!result.isDone)
        return "not computed yet";
    if (!result.error.empty() || !isTooLarge(point))
        return result.error;
    const double needed = result.values.of[StudyMetric::PeakBytes].value_or(0);
    return fmt::format("does not fit: needs {}; {}", bytesText(std::llround(needed)),
                       result.values.memory().text());
}

std::size_t StudyData::done() const
{
    return static_cast<std::size_t>(std::ranges::count(results, true, &StudyResult::isDone));
}

std::size_t StudyData::refused() const
{
    return static_cast<std::size_t>(std::ranges::count_if(
        results, [](const StudyResult& result) { return !result.error.empty(); }));
}

std::optional<double> StudyData::value(std::string_view column, std::size_t point) const
{
    const auto& own = results[point].values.of;
    if (isTooLarge(point))
        return std::nullopt;
    if (const auto metric = metricNamed(column))
        return own[*metric];
    const StudyRatio* const ratio = study.ratio(column);
    if (ratio == nullptr || !own[ratio->metric])
        return std::nullopt;
    const auto& base = results[baselineOf(study, points[point], *ratio)].values.of[ratio->metric];
    if (!base || *base <= 0 || *own[ratio->metric] <= 0)
        return std::nullopt;
    return ratio->inverse ? *base / *own[ratio->metric] : *own[ratio->metric] / *base;
}

Amount quotient(const Amount& of, const Amount& by)
{
    const auto ends = [](const Amount& one) {
        return one.spread == Spread::Interval ? std::pair(one.least, one.most)
                                              : std::pair(one.value, one.value);
    };
    const double value = of.value / by.value;
    const Spread spread = std::max(of.spread, by.spread);
    if (spread != Spread::Interval)
        return {value, spread};
    const auto [least, most] = ends(by);
    return least > 0 ? Amount{value, spread, ends(of).first / most, ends(of).second / least}
                     : Amount{value, Spread::Unknown};
}

std::optional<Amount> StudyData::amount(std::string_view column, std::size_t point) const
{
    static constexpr std::array kCounted{StudyMetric::PeakStash,   StudyMetric::Weights,
                                         StudyMetric::PeakBytes,   StudyMetric::Messages,
                                         StudyMetric::LocalCopies, StudyMetric::MemoryBalance};
    const auto of = [&](StudyMetric metric, std::size_t at) -> Amount {
        const StudyValues& values = results[at].values;
        const double own = values.of[metric].value_or(0);
        const auto time = values.of[StudyMetric::Iteration],
                   shortest = values.low[StudyMetric::Iteration],
                   longest = values.high[StudyMetric::Iteration];
        const bool isRate = metric == StudyMetric::TokensPerSecond || metric == StudyMetric::Mfu;
        if (values.low[metric] && values.high[metric])
            return {own, Spread::Interval, *values.low[metric], *values.high[metric]};
        if (isRate && time && shortest && longest && *shortest > 0) // inverse to the iteration
            return {own, Spread::Interval, own * *time / *longest, own * *time / *shortest};
        const bool isExact = points[at].mode == Study::Mode::Simulate
            || std::ranges::find(kCounted, metric) != kCounted.end();
        return {own, isExact ? Spread::Exact : Spread::Unknown};
    };
    if (!value(column, point))
        return std::nullopt;
    if (const auto metric = metricNamed(column))
        return of(*metric, point);
    const StudyRatio& ratio = *study.ratio(column);
    const std::size_t base = baselineOf(study, points[point], ratio);
    const Amount own = of(ratio.metric, point), other = of(ratio.metric, base);
    if (base == point)
        return Amount{1, own.spread == Spread::Exact ? Spread::Exact : Spread::Unknown};
    return ratio.inverse ? quotient(other, own) : quotient(own, other);
}

Result<std::vector<std::optional<double>>> StudyData::column(std::string_view name) const
{
    if (!metricNamed(name) && study.ratio(name) == nullptr)
        return fail(Error::Code::NotFound, "no metric or ratio '{}'", name);
    std::vector<std::optional<double>> all;
    for (std::size_t i = 0; i < points.size(); ++i)
        all.push_back(value(name, i));
    return all;
}

namespace {

// The data without an axis. `combine` makes a point of those that differ only in this axis.
using Combine = std::function<void(const std::vector<std::size_t>& from, StudyPoint& point,
                                   StudyResult& result)>;
StudyData withoutAxis(const StudyData& data, std::string_view key, const Combine& combine)
{
    const std::size_t place = data.study.place(key);
    Study study = data.study;
    const StudyAxis axis = study.grid[place];
    study.grid.erase(study.grid.begin() + place);
    study.fixed.push_back(axis);
    StudyData without(std::move(study));
    for (std::size_t i = 0; i < without.points.size(); ++i) {
        std::vector<std::size_t> from;
        for (const std::string& value : axis.values) {
            std::vector<std::string> values = without.points[i].values;
            values.insert(values.begin() + place, value);
            from.push_back(pointAt(data.study, values).value());
        }
        without.points[i].source = data.points[from.front()].source;
        combine(from, without.points[i], without.results[i]);
    }
    return without;
}

// The mean of results with 95 % intervals. A metric is unknown if one of the results lacks it.
StudyResult meanOf(const StudyData& data, const std::vector<std::size_t>& from)
{
    StudyResult mean = data.results[from.front()];
    for (const std::size_t point : from) {
        const StudyResult& one = data.results[point];
        mean.isDone = mean.isDone && one.isDone;
        if (mean.error.empty())
            mean.error = one.error;
        mean.repeats.push_back(one.values.of);
    }
    for (std::size_t m = 0; m < kStudyMetrics && from.size() > 1; ++m) {
        const auto metric = static_cast<StudyMetric>(m);
        std::vector<double> all;
        for (const auto& one : mean.repeats)
            if (one[metric])
                all.push_back(*one[metric]);
        StudyValues& values = mean.values;
        values.of[metric] = values.low[metric] = values.high[metric] = std::nullopt;
        if (all.size() < from.size())
            continue;
        const Amount amount = meanAmount(all);
        values.of[metric] = amount.value;
        if (amount.spread == Spread::Interval) {
            values.low[metric] = amount.least;
            values.high[metric] = amount.most;
        }
    }
    return mean;
}

} // namespace

std::optional<StudyData> reducedData(const StudyData& data, const std::vector<std::string>& named,
                                     const std::string& bestOver, const std::string& y)
{
    const std::string& repeat = data.study.repeat;
    const bool hasRepeats
        = data.study.axis(repeat) != nullptr && std::ranges::find(named, repeat) == named.end();
    if (!hasRepeats && bestOver.empty())
        return std::nullopt;
    StudyData reduced = data;
    for (std::size_t i = 0; i < data.points.size(); ++i)
        reduced.points[i].source = i;
    if (hasRepeats)
        reduced = withoutAxis(reduced, repeat, [&](const auto& from, StudyPoint&, auto& result) {
            result = meanOf(data, from);
        });
    if (bestOver.empty())
        return reduced;
    const double towards = lessIsBetter(data.study, y) ? 1 : -1;
    const std::size_t place = reduced.study.place(bestOver);
    return withoutAxis(reduced, bestOver, [&](const auto& from, StudyPoint& point, auto& result) {
        const auto rank = [&](std::size_t one) {
            const auto value = reduced.value(y, one);
            return value ? towards * *value : 1e300;
        };
        const std::size_t best = *std::ranges::min_element(from, {}, rank);
        result = reduced.results[best];
        point.arguments = reduced.points[best].arguments;
        point.source = reduced.points[best].source;
        point.best = reduced.points[best].values[place];
    });
}

} // namespace profiler

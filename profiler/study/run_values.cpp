#include "profiler/study/run_values.h"

#include "engine/base/median.h"
#include "profiler/analysis/compare.h"
#include "profiler/analysis/device_memory.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace profiler {

using namespace engine;

namespace {

constexpr std::array<std::pair<OpKind, StudyMetric>, 5> kKinds{
    {{OpKind::Forward, StudyMetric::Forward},
     {OpKind::Backward, StudyMetric::Backward},
     {OpKind::BackwardInput, StudyMetric::BackwardInput},
     {OpKind::BackwardWeight, StudyMetric::BackwardWeight},
     {OpKind::OptimizerStep, StudyMetric::Optimizer}}};

// Returns the mean loss over the micro-batches of the last measured iteration; nullopt if it
// diverged.
std::optional<double> lastLoss(const Run& run)
{
    const auto& all = run.timeline.iterations;
    const auto last = std::find_if(all.rbegin(), all.rend(), [](const Iteration& one) {
        return one.kind == Iteration::Kind::Measured && !one.microBatchLoss.empty();
    });
    if (last == all.rend())
        return std::nullopt;
    const auto& losses = last->microBatchLoss;
    const double mean
        = std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
    return std::isfinite(mean) ? std::optional(mean) : std::nullopt;
}

std::int64_t meanTime(const RunMetrics& metrics, OpKind kind)
{
    return std::llround(
        metrics.mean([kind](const DeviceMetrics& device) { return device.byKind[kind]; }));
}

void addInterval(const std::optional<engine::Interval>& interval, StudyMetric metric, double unit,
                 StudyValues& values)
{
    if (!interval)
        return;
    values.low[metric] = static_cast<double>(interval->least) / unit;
    values.high[metric] = static_cast<double>(interval->most) / unit;
}

void addKinds(const Run& run, const RunMetrics& reported, double unit, StudyValues& values)
{
    std::vector<RunMetrics> all;
    const auto& iterations = run.timeline.iterations;
    for (int i = 0; i < std::ssize(iterations) && run.info.mode != Mode::Simulate; ++i)
        if (iterations[static_cast<std::size_t>(i)].kind == Iteration::Kind::Measured)
            if (auto one = metrics(run, i))
                all.push_back(*std::move(one));
    if (all.empty())
        all.push_back(reported);
    for (const auto& [kind, metric] : kKinds) {
        std::vector<std::int64_t> times;
        for (const RunMetrics& one : all)
            times.push_back(meanTime(one, kind));
        if (std::ranges::all_of(times, [](std::int64_t time) { return time == 0; }))
            continue;
        addInterval(medianInterval(times), metric, unit, values);
        values.of[metric] = static_cast<double>(medianOf(times)) / unit;
    }
}

} // namespace

StudyValues valuesOf(const Run& run, const RunMetrics& metrics)
{
    StudyValues values;
    values.unit = run.info.inUnits() ? "units" : "ns";
    const auto unit = static_cast<double>(run.info.ticksPerUnit);
    auto& of = values.of;
    of[StudyMetric::Iteration] = static_cast<double>(metrics.duration) / unit;
    addInterval(iterationInterval(run, metrics.iteration), StudyMetric::Iteration, unit, values);
    of[StudyMetric::Bubble] = metrics.bubbleRatio;
    of[StudyMetric::Messages] = metrics.messages;
    of[StudyMetric::LocalCopies] = metrics.localCopies;
    if (metrics.exposedIsKnown)
        of[StudyMetric::Exposed] = metrics.mean(&DeviceMetrics::exposedCommunication) / unit;
    of[StudyMetric::TokensPerSecond] = metrics.tokensPerSecond;
    of[StudyMetric::Mfu] = metrics.mfu;
    of[StudyMetric::Loss] = lastLoss(run);
    of[StudyMetric::CpuShare] = run.info.cpuShare;
    addKinds(run, metrics, unit, values);
    of[StudyMetric::PeakStash] = metrics.peakStash();
    of[StudyMetric::Weights] = metrics.weights();
    of[StudyMetric::PeakBytes] = metrics.peakBytes();
    if (const MemoryCapacity memory = deviceMemory(run); memory.isKnown()) {
        of[StudyMetric::DeviceMemory] = memory.bytes;
        of[StudyMetric::UsableMemory] = memory.usable();
        if (const auto peak = of[StudyMetric::PeakBytes])
            of[StudyMetric::Fits] = memory.holds(*peak) ? 1 : 0;
    }
    return values;
}

} // namespace profiler

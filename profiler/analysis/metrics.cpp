#include "profiler/analysis/metrics.h"

#include "engine/base/try.h"
#include "engine/schedule/check/stash.h"
#include "engine/schedule/check/weight_versions.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedule/transfers.h"
#include "profiler/analysis/device_times.h"
#include "profiler/analysis/lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace profiler {

using namespace engine;

namespace {
Window extentOf(const Windows& windows)
{
    return windows.empty() ? Window{} : Window{windows.front().begin, windows.back().end};
}

// The time from the first start to the last end of compute and all-reduces. Messages do not count,
// because a message after the last op does not occupy the device.
std::int64_t ownSpan(const Run& run, const Lanes& lanes, DeviceId device)
{
    if (run.schedule.shape.windows > 1)
        return extentOf(lanes.compute(device)).duration();
    std::vector<Window> windows;
    for (const auto kind : {Track::Kind::Compute, Track::Kind::AllReduce})
        for (const Span& span : lanes.spans(device, kind))
            windows.push_back(span.window());
    return extentOf(unite(std::move(windows))).duration();
}

DeviceMetrics timesOf(const Run& run, const OpIndex& index, const Lanes& lanes, DeviceId d)
{
    DeviceMetrics device;
    device.device = d;
    device.span = ownSpan(run, lanes, d);
    addTimes(lanes, lanes.window(), device);
    constexpr Window kAll{std::numeric_limits<std::int64_t>::min(),
                          std::numeric_limits<std::int64_t>::max()};
    addByKind(run, index, lanes, kAll, device);
    return device;
}

// Sets the weights in units of M_theta; every stored version is counted. M_theta is the weights
// that one device holds in a one-direction scheme, over all its chunks.
void addWeights(const Schedule& schedule, IdVector<DeviceId, DeviceMetrics>& devices)
{
    const int chunks = schedule.shape.chunks();
    IdVector<DeviceId, int> held(devices.size(), 0);
    for (const auto& stages : schedule.deviceOf)
        for (const DeviceId d : stages)
            ++held[d];
    const auto versions = versionsKept(schedule);
    for (const DeviceId d : devices.ids())
        devices[d].weights = ratio(held[d] * versions[d], chunks);
}

void addCounts(const Schedule& schedule, RunMetrics& run)
{
    const auto sent = messagesSent(schedule);
    const auto copies = localCopies(schedule);
    const int windows = schedule.shape.windows; // all windows have equally many messages
    for (const DeviceId d : run.devices.ids()) {
        DeviceMetrics& device = run.devices[d];
        const int received = std::ranges::count_if(schedule.program[d], [](const Op& op) {
            return op.kind == OpKind::RecvActivation || op.kind == OpKind::RecvGradient;
        });
        run.computeOps += std::ranges::count_if(schedule.program[d], [](const Op& op) {
            return isCompute(op.kind) && op.kind != OpKind::OptimizerStep;
        });
        device.messagesSent = sent[d] / windows;
        device.localCopies = copies[d] / windows;
        device.messagesReceived = received / windows;
        run.messages += device.messagesSent;
        run.localCopies += device.localCopies;
    }
}

DeviceMetrics deviceOf(const IterationSummary& summary, const Shape& shape, DeviceId d)
{
    const DeviceSummary& sums = summary.devices[d];
    DeviceMetrics device;
    device.device = d;
    device.span = sums.own.duration();
    device.compute = sums.compute;
    const bool computes = sums.compute > 0;
    device.fill = computes ? sums.computed.begin - summary.window.begin : 0;
    device.drain = (computes ? summary.window.end - sums.computed.end : summary.window.duration());
    device.bubble = summary.window.duration() - sums.compute;
    device.wait = device.bubble - device.fill - device.drain;
    const double perActivation = stashPartsPerActivation(shape);
    device.peakStash = sums.peakStash / perActivation;
    device.peakKept = sums.peakKept / perActivation;
    device.messagesSent = sums.messagesSent;
    device.messagesReceived = sums.messagesReceived;
    device.localCopies = sums.localCopies;
    return device;
}
} // namespace

std::optional<std::int64_t> RunMetrics::peakBytes() const
{
    const DeviceMetrics* most = fullest(&DeviceMetrics::peakBytes);
    return most == nullptr ? std::nullopt : most->peakBytes;
}

std::optional<double> RunMetrics::memoryBalance() const
{
    double sum = 0;
    for (const DeviceMetrics& device : devices)
        if (device.isRecorded() && !device.peakBytes)
            return std::nullopt;
        else
            sum += device.isRecorded() ? static_cast<double>(*device.peakBytes) : 0;
    const auto largest = peakBytes();
    return largest && sum > 0 ? std::optional(static_cast<double>(*largest) * recordedDevices / sum)
                              : std::nullopt;
}

double RunMetrics::peakStash() const
{
    const DeviceMetrics* most = fullest(&DeviceMetrics::peakStash);
    return most == nullptr ? 0 : most->peakStash;
}

double RunMetrics::weights() const
{
    const DeviceMetrics* most = fullest(&DeviceMetrics::weights);
    return most == nullptr ? 0 : most->weights;
}

void addRates(const RunInfo& info, double peak, int dataParallel, RunMetrics& run)
{
    if (info.inUnits() || run.duration <= 0)
        return;
    const double seconds = run.duration * 1e-9;
    if (info.tokensPerIteration > 0)
        run.tokensPerSecond = info.tokensPerIteration / seconds;
    const auto devices = static_cast<double>(run.devices.size()) * dataParallel;
    const double flops = std::max(info.flopsPerIteration, info.executedFlops);
    if (flops <= 0 || peak <= 0)
        return;
    constexpr double kRounding = 1.001;
    const double computed = run.mean(&DeviceMetrics::compute) * 1e-9;
    const double rate = flops / (devices * (computed > 0 ? computed : seconds));
    run.mfu = run.hfu = std::nullopt;
    run.whyNoMfu.clear();
    if (rate > kRounding * peak)
        run.whyNoMfu = fmt::format("the peak of {:.4g} GFLOP/s is lower than the {:.4g} GFLOP/s "
                                   "that the ops reach",
                                   peak / 1e9, rate / 1e9);
    else if (info.flopsPerIteration > 0)
        run.mfu = info.flopsPerIteration / (peak * devices * seconds);
    if (run.whyNoMfu.empty() && info.executedFlops > 0)
        run.hfu = info.executedFlops / (peak * devices * seconds);
}

RunMetrics metrics(const Schedule& schedule, const IterationSummary& summary)
{
    RunMetrics result;
    result.duration = summary.window.duration();
    result.exposedIsKnown = !summary.hasCommunication;
    double bubbles = 0;
    for (const DeviceId d : summary.devices.ids()) {
        const DeviceMetrics device = deviceOf(summary, schedule.shape, d);
        result.span = std::max(result.span, device.span);
        bubbles += device.bubble;
        result.messages += device.messagesSent;
        result.localCopies += device.localCopies;
        result.devices.push_back(device);
        ++result.recordedDevices;
    }
    if (result.duration > 0 && !result.devices.empty())
        result.bubbleRatio = bubbles / (1.0 * result.duration * result.devices.size());
    addWeights(schedule, result.devices);
    return result;
}

bool lacksMessages(const Run& run)
{
    return run.info.import && !run.info.import->onGpu && run.schedule.shape.devices > 1
        && !hasTransfers(run.schedule);
}

Result<RunMetrics> metrics(const Run& run, int iteration)
{
    const auto index = TRY(iterationIndex(run, iteration));
    const Lanes lanes(run, index);
    const OpIndex ops(run.schedule);
    RunMetrics result;
    result.iteration = index;
    result.duration = lanes.window().duration();
    result.exposedIsKnown = !lacksMessages(run);
    std::int64_t bubbles = 0;
    for (const DeviceId d : Ids<DeviceId>(lanes.devices())) {
        const bool isRecorded = hasTrace(run, d);
        DeviceMetrics device = isRecorded ? timesOf(run, ops, lanes, d) : DeviceMetrics();
        device.device = d;
        result.span = std::max(result.span, device.span);
        bubbles += device.bubble;
        result.recordedDevices += isRecorded ? 1 : 0;
        result.devices.push_back(device);
    }
    if (result.duration > 0 && result.recordedDevices > 0)
        result.bubbleRatio = whyUnknown(run.info).empty()
            ? bubbles / (1.0 * result.duration * result.recordedDevices)
            : std::numeric_limits<double>::quiet_NaN();
    addWeights(run.schedule, result.devices);
    addCounts(run.schedule, result);
    addPeakStash(run, lanes, result.devices);
    addPeakBytes(run, lanes.window(), result.devices);
    if (whyIterationUnknown(run).empty())
        addRates(run.info, run.info.peakFlops, run.schedule.shape.dataParallel, result);
    return result;
}

namespace {

using TC = TimeCategory;
constexpr std::array<std::pair<TC, OpKind>, 6> kComputeCategories{
    {{TC::Forward, OpKind::Forward},
     {TC::Recompute, OpKind::Recompute},
     {TC::Backward, OpKind::Backward},
     {TC::BackwardInput, OpKind::BackwardInput},
     {TC::BackwardWeight, OpKind::BackwardWeight},
     {TC::Optimizer, OpKind::OptimizerStep}}};

bool doKindsAddUp(const DeviceMetrics& device)
{
    std::int64_t sum = 0;
    for (const auto& [category, kind] : kComputeCategories)
        sum += device.byKind[kind];
    return sum == device.compute;
}

// Rounds the categories [first, last]; see rounded().
void roundTo(double sum, double step, TimeByCategory& times, std::pair<TC, TC> among)
{
    const auto first = static_cast<int>(among.first), last = static_cast<int>(among.second);
    std::vector<double> parts;
    for (int c = first; c <= last; ++c)
        parts.push_back(times[static_cast<TC>(c)]);
    parts = rounded(std::move(parts), sum, step);
    for (int c = first; c <= last; ++c)
        times[static_cast<TC>(c)] = parts[static_cast<std::size_t>(c - first)];
}

} // namespace

const char* timeCategoryName(TimeCategory category)
{
    constexpr EnumArray<TC, const char*, kTimeCategories> kNames{
        "compute",   "F",       "RC",   "B",    "I",     "W",
        "optimizer", "exposed", "fill", "wait", "drain", "bubble"};
    return kNames[category];
}

bool isOf(TimeCategory category, OpKind kind)
{
    return std::ranges::any_of(kComputeCategories, [&](const auto& one) {
        return one.second == kind && (one.first == category || category == TC::Compute);
    });
}

TimeByCategory timeByCategory(const RunMetrics& run, const DeviceMetrics& device)
{
    TimeByCategory times{};
    if (std::ranges::all_of(run.devices, doKindsAddUp))
        for (const auto& [category, kind] : kComputeCategories)
            times[category] = static_cast<double>(device.byKind[kind]);
    else
        times[TC::Compute] = static_cast<double>(device.compute);
    for (const auto& [category, of] :
         {std::pair(TC::Exposed, device.exposedCommunication), std::pair(TC::Fill, device.fill),
          std::pair(TC::Wait, device.wait), std::pair(TC::Drain, device.drain),
          std::pair(TC::Bubble, device.bubble)})
        times[category] = static_cast<double>(of);
    return times;
}

TimeByCategory timeByCategory(const RunMetrics& run)
{
    TimeByCategory mean{};
    for (const DeviceMetrics& device : run.devices) {
        const TimeByCategory one = timeByCategory(run, device);
        for (const TC category : mean.enumerators())
            mean[category] += one[category] / std::max(1, run.recordedDevices);
    }
    return mean;
}

std::vector<double> rounded(std::vector<double> parts, double sum, double step)
{
    double left = std::round(sum / step);
    std::vector<std::pair<double, double*>> remainders;
    for (double& part : parts) {
        const double exact = part / step, whole = std::floor(exact + 1e-9);
        part = whole * step;
        left -= whole;
        remainders.emplace_back(exact - whole, &part);
    }
    std::ranges::stable_sort(remainders, std::greater(), &std::pair<double, double*>::first);
    for (const auto& [remainder, part] : remainders)
        if (left-- >= 0.5 && remainder > 1e-9)
            *part += step;
    return parts;
}

TimeByCategory rounded(const TimeByCategory& times, double step)
{
    TimeByCategory result = times;
    double all = times[TC::Bubble];
    for (int c = 0; c <= static_cast<int>(TC::Exposed); ++c)
        all += times[static_cast<TC>(c)];
    const double bubble = std::round(times[TC::Bubble] / step) * step;
    roundTo(std::round(all / step) * step - bubble, step, result, {TC::Compute, TC::Exposed});
    roundTo(bubble, step, result, {TC::Fill, TC::Drain});
    result[TC::Bubble] = bubble;
    return result;
}

} // namespace profiler

#include "profiler/analysis/metrics.h"

#include "engine/base/try.h"
#include "engine/schedule/check/stash.h"
#include "engine/schedule/check/weight_versions.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedule/transfers.h"
#include "engine/timeline/stash_ledger.h"
#include "profiler/analysis/lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace profiler {

using namespace engine;

namespace {

// Adds to `device` its compute, exposed communication and bubble in `part`, a window within the
// iteration of `lanes`. Fill is the bubble before the first compute op of the iteration, and drain
// is the bubble after the last one, even if these ops are outside `part`.
void addTimes(const Lanes& lanes, Window part, DeviceMetrics& device)
{
    const Windows compute = lanes.compute(device.device);
    const Windows communication = lanes.communication(device.device);
    device.compute += length(clip(compute, part));
    device.exposedCommunication += length(clip(subtract(communication, compute), part));
    const Window computed
        = compute.empty() ? Window{} : Window{compute.front().begin, compute.back().end};
    for (const Window w :
         clip(subtract(subtract(unite({lanes.window()}), compute), communication), part)) {
        (w.end <= computed.begin       ? device.fill
             : w.begin >= computed.end ? device.drain
                                       : device.wait)
            += w.duration();
        device.bubble += w.duration();
    }
}

// Adds to `device.byKind` how long the device's ops of one iteration run within `range`. Each of
// two joint ops is credited with half of the common window.
void addByKind(const Run& run, const OpIndex& index, const Lanes& lanes, Window range,
               DeviceMetrics& device)
{
    const auto program = run.schedule.on(device.device);
    const Windows compute = lanes.haveKernels() ? lanes.compute(device.device) : Windows();
    for (const auto kind : {Track::Kind::Compute, Track::Kind::Send, Track::Kind::Receive,
                            Track::Kind::AllReduce, Track::Kind::Copy}) {
        const Span* previous = nullptr;
        for (const Span& span : lanes.spans(device.device, kind)) {
            const Window part = overlap(span.window(), range);
            const std::int64_t duration = lanes.haveKernels() && kind == Track::Kind::Compute
                ? length(clip(compute, part))
                : part.duration();
            auto& ticks = device.byKind[program[index.positionOf(span.op)].kind];
            ticks += duration;
            if (kind == Track::Kind::Compute && previous && previous->window() == span.window()) {
                ticks -= duration - duration / 2;
                device.byKind[program[index.positionOf(previous->op)].kind] -= duration / 2;
            }
            previous = &span;
        }
    }
}

// The memory of one device while its memory events are replayed. If several events have the same
// time, the frees come first. Therefore a level is valid only after all events of that time.
struct Holdings
{
    EnumArray<MemoryCategory, std::int64_t, kMemoryCategories> byCategory{};
    std::int64_t since = 0; // time of the last event
    bool isRecorded = false;

    void keepPeak(std::int64_t time, DeviceMetrics& device) const
    {
        const auto all = std::accumulate(byCategory.begin(), byCategory.end(), std::int64_t{0});
        const auto stash = byCategory[MemoryCategory::Stash];
        if (stash > 0 || byCategory[MemoryCategory::Unknown] == 0)
            device.peakStashBytes = std::max(device.peakStashBytes.value_or(0), stash);
        if (device.peakBytes && *device.peakBytes >= all)
            return;
        device.peakBytes = all;
        device.bytesAtPeak = byCategory;
        device.timeOfPeak = time;
    }
};

// The activations that each device holds while the iterations [first, last] run. In a stream they
// outlive their iteration, so that all earlier ones count, too.
StashLedger stashLedger(const Run& run, int first, int last)
{
    const OpIndex index(run.schedule);
    StashLedger ledger(run.schedule, run.info.recomputeKeeps);
    for (const Track& track : run.timeline.tracks) {
        if (track.kind != Track::Kind::Compute && track.kind != Track::Kind::Copy)
            continue;
        const auto begin = std::ranges::lower_bound(track.spans, static_cast<std::uint32_t>(first),
                                                    {}, &Span::iteration);
        for (auto span = begin;
             span != track.spans.end() && std::cmp_less_equal(span->iteration, last); ++span)
            ledger.add(track.device, run.schedule.on(track.device)[index.positionOf(span->op)],
                       span->window());
    }
    return ledger;
}

// Sets the peak stash of each device in units of M_a, which is the activations of a device's layers
// for one micro-batch. An activation lives from the start of its F to the end of its B (or of its
// W, if the backward is split). While it is copied between two devices, it counts on both. If a
// RECOMPUTE recomputes the activation, only the share RunInfo::recomputeKeeps of it counts between
// the end of its F and the RECOMPUTE.
void addPeakStash(const Run& run, int iteration, IdVector<DeviceId, DeviceMetrics>& devices)
{
    const bool isStream = run.schedule.shape.windows > 1;
    StashLedger ledger = isStream
        ? stashLedger(run, 0, static_cast<int>(run.timeline.iterations.size()) - 1)
        : stashLedger(run, iteration, iteration);
    const double perActivation = stashPartsPerActivation(run.schedule.shape);
    for (const DeviceId d : devices.ids()) {
        const StashLedger::Peak peak = ledger.peak(d);
        devices[d].peakStash = peak.parts / perActivation;
        devices[d].peakKept = peak.kept / perActivation;
    }
}

// Sets the byte fields of `devices` from the memory events of the iteration. Leaves them unset if
// no memory was recorded.
void addPeakBytes(const Run& run, Window iteration, IdVector<DeviceId, DeviceMetrics>& devices)
{
    if (run.timeline.memory.empty())
        return;
    IdVector<DeviceId, Holdings> held(devices.size());
    for (const MemoryEvent& event : run.timeline.memory) {
        if (event.time >= iteration.end)
            break;
        const DeviceId device{event.device};
        if (!devices.has(device))
            continue;
        Holdings& here = held[device];
        if (event.time > here.since && event.time > iteration.begin)
            here.keepPeak(std::max(here.since, iteration.begin), devices[device]);
        here.byCategory[event.category] += event.bytes;
        here.since = event.time;
        here.isRecorded = true;
    }
    for (const DeviceId d : devices.ids())
        if (held[d].isRecorded)
            held[d].keepPeak(std::max(held[d].since, iteration.begin), devices[d]);
}
Window extentOf(const Windows& windows)
{
    return windows.empty() ? Window{} : Window{windows.front().begin, windows.back().end};
}

// The time from the first start to the last end of compute and all-reduces. Messages do not count,
// because a message after the last op does not occupy the device.
Window ownSpan(const Run& run, const Lanes& lanes, DeviceId device)
{
    if (run.schedule.shape.windows > 1)
        return extentOf(lanes.compute(device));
    std::vector<Window> windows;
    for (const auto kind : {Track::Kind::Compute, Track::Kind::AllReduce})
        for (const Span& span : lanes.spans(device, kind))
            windows.push_back(span.window());
    return extentOf(unite(std::move(windows)));
}

DeviceMetrics timesOf(const Run& run, const OpIndex& index, const Lanes& lanes, DeviceId d)
{
    DeviceMetrics device;
    device.device = d;
    const Window own = ownSpan(run, lanes, d);
    device.span = own.duration();
    device.whole = lanes.window().duration();
    addTimes(lanes, lanes.window(), device);
    if (!whyUnknown(run.info).empty()) {
        device.fill = device.drain = 0;
        device.bubble = device.wait = length(clip(lanes.bubble(d), own));
        device.whole = device.compute + device.exposedCommunication + device.bubble;
    }
    constexpr Window kAll{std::numeric_limits<std::int64_t>::min(),
                          std::numeric_limits<std::int64_t>::max()};
    addByKind(run, index, lanes, kAll, device);
    return device;
}

// Sets the weights in units of M_theta; every stored version is counted. M_theta is the weights
// that one device holds in a one-direction scheme, over all its chunks.
void addWeights(const Schedule& schedule, IdVector<DeviceId, DeviceMetrics>& devices)
{
    const Shape& shape = schedule.shape;
    const double others = 1 - 1.0 / shape.dataParallel; // share of the other copies, if sharded
    const std::vector<bool> isSharded = shardedRows(schedule);
    IdVector<DeviceId, double> held(devices.size(), 0);
    for (int replica = 0; replica < shape.replicas; ++replica)
        for (const StageId stage : schedule.deviceOf[replica].ids())
            held[schedule.device(replica, stage)]
                += isSharded[shape.row(replica, stage)] ? 1 - others : 1;
    const auto versions = versionsKept(schedule);
    for (const DeviceId d : devices.ids()) {
        double gathered = 0, most = 0;
        for (const Op& op : schedule.program[d])
            if (isSharding(op.kind)) {
                gathered += op.kind == OpKind::Unshard ? others : -others;
                most = std::max(most, gathered);
            }
        devices[d].weights = (held[d] * versions[d] + most) / shape.chunks();
    }
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
    device.whole = summary.window.duration();
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
    std::optional<std::int64_t> most;
    for (const DeviceMetrics& device : devices)
        if (device.peakBytes)
            most = std::max(most.value_or(0), *device.peakBytes);
        else
            return std::nullopt;
    return most;
}

std::optional<double> RunMetrics::memoryBalance() const
{
    const auto largest = peakBytes();
    const double mostBytes = static_cast<double>(largest.value_or(0));
    return mostBytes > 0
        ? std::optional(mostBytes / mean([](const DeviceMetrics& d) { return *d.peakBytes; }))
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
    result.kindsAddUp = false;
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

} // namespace

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
    result.kindsAddUp = std::ranges::all_of(result.devices, doKindsAddUp);
    addWeights(run.schedule, result.devices);
    addCounts(run.schedule, result);
    addPeakStash(run, index, result.devices);
    addPeakBytes(run, lanes.window(), result.devices);
    if (whyIterationUnknown(run).empty())
        addRates(run.info, run.info.peakFlops, run.schedule.shape.dataParallel, result);
    return result;
}

namespace {

// Rounds the categories [first, last]; see rounded().
void roundTo(double sum, double step, TimeByCategory& times, std::pair<TC, TC> among)
{
    const auto first = static_cast<int>(among.first), last = static_cast<int>(among.second);
    std::vector<double> parts;
    for (int c = first; c <= last; ++c)
        parts.push_back(times[static_cast<TC>(c)]);
    parts = rounded(std::move(parts), sum, step);
    for (int c = first; c <= last; ++c)
        times[static_cast<TC>(c)] = parts[c - first];
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
    if (run.kindsAddUp)
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

namespace {

// Whether a span overlaps the range. A message over a free link has no duration; it overlaps the
// range in which it begins.
bool hasPartIn(const Span& span, Window range)
{
    return span.begin < range.end && (span.end > range.begin || span.begin == range.begin);
}

void addCounts(const Lanes& lanes, Window range, RangeDevice& device)
{
    const DeviceId id = device.times.device;
    for (const Span& span : lanes.spans(id, Track::Kind::Compute)) {
        if (hasPartIn(span, range)) {
            const bool isWhole = span.begin >= range.begin && span.end <= range.end;
            ++(isWhole ? device.opsWhole : device.opsCut);
        }
    }
    const auto messages = [&](Track::Kind kind) {
        return static_cast<int>(std::ranges::count_if(
            lanes.spans(id, kind), [range](const Span& span) { return hasPartIn(span, range); }));
    };
    device.times.messagesSent += messages(Track::Kind::Send);
    device.times.messagesReceived += messages(Track::Kind::Receive);
}

// The largest stash in the range, from the ops of the iterations [first, last].
void addPeakStash(const Run& run, Window range, int first, int last, RangeMetrics& result)
{
    StashLedger ledger = stashLedger(run, first, last);
    const double perActivation = stashPartsPerActivation(run.schedule.shape);
    for (const DeviceId d : result.devices.ids()) {
        HeldParts held;
        double atBegin = 0, within = 0;
        for (const StashLedger::Event& event : ledger.events(d)) {
            if (event.time >= range.end)
                break;
            held.whole += event.change.whole;
            held.kept += event.change.kept;
            if (event.time <= range.begin)
                atBegin = ledger.partsOf(held);
            else
                within = std::max(within, ledger.partsOf(held));
        }
        result.devices[d].times.peakStash = std::max(atBegin, within) / perActivation;
    }
}

void addPeaks(const Run& run, int first, RangeMetrics& result)
{
    // In an asynchronous run stashes outlive their iteration, so the stash includes all earlier
    // iterations.
    const bool isStream = run.schedule.shape.windows > 1;
    addPeakStash(run, result.range, isStream ? 0 : first, result.lastIteration, result);
    IdVector<DeviceId, DeviceMetrics> peaks(result.devices.size());
    addPeakBytes(run, result.range, peaks);
    for (const DeviceId d : peaks.ids()) {
        DeviceMetrics& device = result.devices[d].times;
        device.peakBytes = peaks[d].peakBytes;
        device.peakStashBytes = peaks[d].peakStashBytes;
        device.bytesAtPeak = peaks[d].bytesAtPeak;
        device.timeOfPeak = peaks[d].timeOfPeak;
    }
}

void addIteration(const Run& run, const OpIndex& index, int iteration, Window part,
                  RangeMetrics& result)
{
    const Lanes lanes(run, iteration);
    for (RangeDevice& device : result.devices) {
        if (!device.isRecorded)
            continue;
        if (part.duration() > 0)
            addTimes(lanes, part, device.times);
        addByKind(run, index, lanes, result.range, device.times);
        addCounts(lanes, result.range, device);
    }
}

// Adds all iterations that overlap the range, and returns the index of the first one. In an
// asynchronous run the preceding iteration is added as well, because its last ops may end in the
// range.
int addIterations(const Run& run, RangeMetrics& result)
{
    const auto& iterations = run.timeline.iterations;
    const OpIndex index(run.schedule);
    const auto touches = [&](const Iteration& one) { return one.window.intersects(result.range); };
    const auto found = std::ranges::find_if(iterations, touches);
    if (found == iterations.end())
        return 0;
    result.firstIteration = static_cast<int>(found - iterations.begin());
    const bool hasEarlier = run.schedule.shape.windows > 1 && result.firstIteration > 0;
    const int first = result.firstIteration - (hasEarlier ? 1 : 0);
    std::int64_t counted = result.range.begin;
    for (int k = first; k < static_cast<int>(iterations.size()); ++k) {
        const Iteration& one = iterations[k];
        if (k >= result.firstIteration && !touches(one))
            break;
        const Window part = overlap(one.window, {counted, result.range.end});
        addIteration(run, index, k, part, result);
        counted = std::max(counted, part.end);
        result.lastIteration = k;
    }
    return first;
}

} // namespace

Result<RangeMetrics> rangeMetrics(const Run& run, Window range)
{
    if (range.duration() <= 0)
        return invalid("the range is empty; it must end after its start");
    TRY(iterationIndex(run, -1));
    RangeMetrics result;
    result.range = range;
    for (const DeviceId d : Ids<DeviceId>(run.schedule.shape.devices)) {
        RangeDevice device;
        device.times.device = d;
        device.isRecorded = hasTrace(run, d);
        result.recorded += device.isRecorded ? 1 : 0;
        result.devices.push_back(device);
    }
    const int first = addIterations(run, result);
    std::int64_t bubbles = 0;
    for (RangeDevice& device : result.devices) {
        DeviceMetrics& times = device.times;
        if (device.isRecorded)
            device.between
                = range.duration() - times.compute - times.exposedCommunication - times.bubble;
        times.bubble += device.between;
        bubbles += times.bubble;
    }
    if (result.recorded > 0)
        result.bubbleRatio = whyUnknown(run.info).empty()
            ? static_cast<double>(bubbles)
                / (static_cast<double>(range.duration()) * result.recorded)
            : std::numeric_limits<double>::quiet_NaN();
    if (result.firstIteration >= 0)
        addPeaks(run, first, result);
    return result;
}

} // namespace profiler

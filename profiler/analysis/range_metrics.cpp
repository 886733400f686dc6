#include "profiler/analysis/range_metrics.h"

#include "engine/base/try.h"
#include "engine/timeline/stash_ledger.h"
#include "profiler/analysis/device_times.h"

#include <algorithm>
#include <limits>

namespace profiler {

using namespace engine;

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
    const OpIndex index(run.schedule);
    StashLedger ledger(run.schedule, run.info.recomputeKeeps);
    for (int k = first; k <= last; ++k) {
        const Lanes lanes(run, k);
        for (const DeviceId d : Ids<DeviceId>(lanes.devices()))
            for (const auto kind : {Track::Kind::Compute, Track::Kind::Copy})
                for (const Span& span : lanes.spans(d, kind))
                    ledger.add(d, run.schedule.on(d)[index.positionOf(span.op)], span.window());
    }
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
        const Iteration& one = iterations[static_cast<std::size_t>(k)];
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
        return fail(Error::Code::InvalidArgument,
                    "the range is empty; it must end after its start");
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

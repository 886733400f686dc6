#include "profiler/analysis/device_times.h"

#include "engine/timeline/stash_ledger.h"

#include <algorithm>
#include <numeric>

namespace profiler {

using namespace engine;

Window overlap(Window a, Window b)
{
    const std::int64_t begin = std::max(a.begin, b.begin);
    return {begin, std::max(begin, std::min(a.end, b.end))};
}

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

namespace {
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
        device.peakStashBytes = std::max(device.peakStashBytes.value_or(0), stash);
        if (device.peakBytes && *device.peakBytes >= all)
            return;
        device.peakBytes = all;
        device.bytesAtPeak = byCategory;
        device.timeOfPeak = time;
    }
};
} // namespace

void addPeakStash(const Run& run, const Lanes& lanes, IdVector<DeviceId, DeviceMetrics>& devices)
{
    const OpIndex index(run.schedule);
    StashLedger ledger(run.schedule, run.info.recomputeKeeps);
    // In an asynchronous run stashes outlive their iteration, so the spans of all iterations count.
    const bool isStream = run.schedule.shape.windows > 1;
    for (const DeviceId d : Ids<DeviceId>(lanes.devices()))
        for (const auto kind : {Track::Kind::Compute, Track::Kind::Copy}) {
            const Track* track = isStream ? run.timeline.track(d, kind) : nullptr;
            for (const Span& span :
                 track != nullptr ? std::span(track->spans) : lanes.spans(d, kind))
                ledger.add(d, run.schedule.on(d)[index.positionOf(span.op)], span.window());
        }
    const double perActivation = stashPartsPerActivation(run.schedule.shape);
    for (const DeviceId d : devices.ids()) {
        const StashLedger::Peak peak = ledger.peak(d);
        devices[d].peakStash = peak.parts / perActivation;
        devices[d].peakKept = peak.kept / perActivation;
    }
}

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

} // namespace profiler

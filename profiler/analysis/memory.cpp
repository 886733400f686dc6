#include "profiler/analysis/memory.h"

#include "engine/timeline/stash_ledger.h"

#include <algorithm>
#include <numeric>

namespace profiler {

using namespace engine;

namespace {
// The memory of one device while memory events are replayed. Frees come first at equal times, so
// levels are valid only after all events of a time.
struct Holdings
{
    std::array<std::int64_t, kMemoryCategories> byCategory{};
    std::int64_t since = 0; // time of the last event

    void keepPeak(std::int64_t time, DeviceMetrics& device) const
    {
        const auto all = std::accumulate(byCategory.begin(), byCategory.end(), std::int64_t{0});
        const auto stash = byCategory[static_cast<std::size_t>(MemoryCategory::Stash)];
        device.peakStashBytes = std::max(device.peakStashBytes.value_or(0), stash);
        if (device.peakBytes && *device.peakBytes >= all)
            return;
        device.peakBytes = all;
        device.bytesAtPeak = byCategory;
        device.timeOfPeak = time;
    }
};
} // namespace

void addPeakStash(const Run& run, const Lanes& lanes, std::vector<DeviceMetrics>& devices)
{
    const OpIndex index(run.schedule);
    StashLedger ledger(run.schedule, run.info.recomputeKeeps);
    for (DeviceId d{0}; d.value < lanes.devices(); ++d.value)
        for (const auto kind : {Track::Kind::Compute, Track::Kind::Copy})
            for (const Span& span : lanes.spans(d, kind))
                ledger.add(d, run.schedule.on(d)[index.positionOf(span.op)], span.window());
    const auto perActivation = static_cast<double>(stashPartsPerActivation(run.schedule.shape));
    for (std::size_t d = 0; d < devices.size(); ++d) {
        const StashLedger::Peak peak = ledger.peak(d);
        devices[d].peakStash = peak.parts / perActivation;
        devices[d].peakKept = static_cast<double>(peak.kept) / perActivation;
    }
}

void addPeakBytes(const Run& run, Window iteration, std::vector<DeviceMetrics>& devices)
{
    if (run.timeline.memory.empty())
        return;
    std::vector<Holdings> held(devices.size());
    for (const MemoryEvent& event : run.timeline.memory) {
        if (event.time >= iteration.end)
            break;
        if (event.device >= devices.size())
            continue;
        Holdings& here = held[event.device];
        if (event.time > here.since && event.time > iteration.begin)
            here.keepPeak(std::max(here.since, iteration.begin), devices[event.device]);
        here.byCategory[static_cast<std::size_t>(event.category)] += event.bytes;
        here.since = event.time;
    }
    for (std::size_t d = 0; d < devices.size(); ++d)
        held[d].keepPeak(std::max(held[d].since, iteration.begin), devices[d]);
}

} // namespace profiler

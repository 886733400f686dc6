#include "profiler/analysis/range/device_times.h"

#include <algorithm>

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
    for (const auto kind : {Track::Kind::Compute, Track::Kind::Send, Track::Kind::Receive,
                            Track::Kind::AllReduce, Track::Kind::Copy}) {
        const Span* previous = nullptr;
        for (const Span& span : lanes.spans(device.device, kind)) {
            const std::int64_t duration = overlap(span.window(), range).duration();
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

} // namespace profiler

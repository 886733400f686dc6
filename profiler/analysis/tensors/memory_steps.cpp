#include "profiler/analysis/tensors/memory_steps.h"

#include <algorithm>
#include <numeric>

namespace profiler {

using namespace engine;

std::int64_t MemoryStep::total() const
{
    return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

// For an EVICT or a LOAD, the device of the op owns the stash. It differs from the device of the
// event if the event is on the partner.
std::optional<DeviceId> ownerOfGuest(const Run& run, const OpIndex& index, const MemoryEvent& event)
{
    if (event.op >= index.count() || !isCopy(opAt(run.schedule, index, event.op).kind))
        return std::nullopt;
    const DeviceId owner = index.deviceOf(event.op);
    return owner == DeviceId{event.device} ? std::nullopt : std::optional(owner);
}

MemoryKind kindOf(const Run& run, const OpIndex& index, const MemoryEvent& event)
{
    switch (event.category) {
    case MemoryCategory::Weights:
        return MemoryKind::Weights;
    case MemoryCategory::Gradients:
        return MemoryKind::Gradients;
    case MemoryCategory::Optimizer:
        return MemoryKind::Optimizer;
    case MemoryCategory::Buffers:
        return MemoryKind::Buffers;
    case MemoryCategory::Stash:
        break;
    }
    return ownerOfGuest(run, index, event) ? MemoryKind::Guest : MemoryKind::Stash;
}

IdVector<DeviceId, MemorySteps> memorySteps(const Run& run, int iteration)
{
    const int devices = run.schedule.shape.devices;
    IdVector<DeviceId, MemorySteps> all(devices);
    if (run.timeline.memory.empty() || iteration < 0
        || iteration >= static_cast<int>(run.timeline.iterations.size()))
        return all;
    const Window window = run.timeline.iterations[static_cast<std::size_t>(iteration)].window;
    const OpIndex index(run.schedule);
    IdVector<DeviceId, MemoryStep> now(devices);
    const auto keep = [&](DeviceId device) {
        MemorySteps& steps = all[device];
        MemoryStep step = now[device];
        step.time = std::max(step.time, window.begin);
        if (!steps.empty() && steps.back().time == step.time)
            steps.back() = step;
        else
            steps.push_back(step);
    };
    for (const MemoryEvent& event : run.timeline.memory) {
        if (event.time >= window.end)
            break;
        const DeviceId device{event.device};
        if (!now.has(device))
            continue;
        now[device].time = event.time;
        now[device].bytes[kindOf(run, index, event)] += event.bytes;
        keep(device);
        const auto owner = event.category == MemoryCategory::Stash ? ownerOfGuest(run, index, event)
                                                                   : std::nullopt;
        if (!owner)
            continue;
        now[*owner].time = std::max(now[*owner].time, event.time);
        now[*owner].evicted += event.bytes;
        keep(*owner);
    }
    return all;
}

const MemoryStep& stepAt(const MemorySteps& steps, std::int64_t time)
{
    const auto next = std::ranges::upper_bound(steps, time, {}, &MemoryStep::time);
    return next == steps.begin() ? steps.front() : *(next - 1);
}

const MemoryStep& peakOf(const MemorySteps& steps)
{
    return *std::ranges::max_element(steps, {},
                                     [](const MemoryStep& step) { return step.total(); });
}

std::vector<std::int64_t> peakTimes(const MemorySteps& steps, double share)
{
    std::vector<std::int64_t> times;
    if (steps.empty())
        return times;
    const auto least = static_cast<double>(peakOf(steps).total()) * share;
    bool isRising = true;
    for (std::size_t k = 0; k < steps.size(); ++k) {
        const std::int64_t now = steps[k].total();
        const bool falls = k + 1 == steps.size() || steps[k + 1].total() < now;
        if (k > 0 && now != steps[k - 1].total())
            isRising = now > steps[k - 1].total();
        if (!falls || !isRising || static_cast<double>(now) < least)
            continue;
        std::size_t first = k; // the first of several equal steps
        while (first > 0 && steps[first - 1].total() == now)
            --first;
        times.push_back(steps[first].time);
    }
    return times;
}

} // namespace profiler

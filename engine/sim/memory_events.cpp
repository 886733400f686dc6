#include "engine/sim/memory_events.h"

#include "engine/schedule/stash.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace engine {
namespace {

void addHeld(const Schedule& lowered, const std::vector<StageBytes>& stages,
             std::vector<MemoryEvent>& events)
{
    const auto add = [&events](DeviceId device, MemoryCategory category, double bytes) {
        events.push_back({0, std::llround(bytes), MemoryEvent::kNoOp,
                          static_cast<std::uint16_t>(device.value), category});
    };
    for (const auto& deviceOf : lowered.deviceOf)
        for (std::size_t stage = 0; stage < deviceOf.size(); ++stage) {
            add(deviceOf[stage], MemoryCategory::Weights, stages[stage].weights);
            add(deviceOf[stage], MemoryCategory::Gradients, stages[stage].gradients);
            add(deviceOf[stage], MemoryCategory::Optimizer, stages[stage].optimizer);
        }
}

class StashEvents
{
public:
    StashEvents(const Schedule& lowered, const std::vector<StageBytes>& stages,
                std::vector<MemoryEvent>& events)
        : m_shape(lowered.shape)
        , m_stages(stages)
        , m_events(events)
    { }

    void add(DeviceId device, const Op& op, const Span& span)
    {
        const StashChange change = stashChange(op.kind);
        const std::int64_t bytes = bytesOf(op);
        note(device.value, span.begin, change.ownAtBegin * bytes, span.op);
        note(device.value, span.end, change.ownAtEnd * bytes, span.op);
        note(op.peer, span.begin, change.peerAtBegin * bytes, span.op);
        note(op.peer, span.end, change.peerAtEnd * bytes, span.op);
    }

private:
    // Cut so that the parts of a stash add up to it: part by part, rounded in the same places.
    std::int64_t bytesOf(const Op& op) const
    {
        const auto whole = std::int64_t{2} * std::max(m_shape.slices, 1);
        const auto part = std::llround(m_stages[static_cast<std::size_t>(op.stage.value)].stash
                                       / static_cast<double>(whole));
        return part * stashParts(op, m_shape);
    }
    void note(int device, std::int64_t time, std::int64_t bytes, std::uint32_t op)
    {
        if (bytes != 0 && device < m_shape.devices)
            m_events.push_back(
                {time, bytes, op, static_cast<std::uint16_t>(device), MemoryCategory::Stash});
    }

    const Shape& m_shape;
    const std::vector<StageBytes>& m_stages;
    std::vector<MemoryEvent>& m_events;
};

} // namespace

std::vector<MemoryEvent> simulatedMemory(const Schedule& lowered, const Timeline& timeline,
                                         const std::vector<StageBytes>& stages)
{
    std::vector<MemoryEvent> events;
    StashEvents stashes(lowered, stages, events);
    const OpIndex index(lowered);
    for (const Track& track : timeline.tracks)
        if (track.kind == Track::Kind::Compute || track.kind == Track::Kind::Copy)
            for (const Span& span : track.spans)
                stashes.add(track.device, opAt(lowered, index, span.op), span);
    std::ranges::stable_sort(events, {}, [](const MemoryEvent& event) {
        return std::tuple(event.time, event.bytes > 0);
    });
    std::vector<MemoryEvent> all;
    addHeld(lowered, stages, all);
    all.insert(all.end(), events.begin(), events.end());
    return all;
}

} // namespace engine

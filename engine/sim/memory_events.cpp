#include "engine/sim/memory_events.h"

#include "engine/schedule/check/stash.h"
#include "engine/schedule/check/weight_versions.h"
#include "engine/schedule/transfers.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace engine {
namespace {

void addHeld(const Schedule& lowered, const IdVector<StageId, StageBytes>& stages,
             std::vector<MemoryEvent>& events)
{
    const Shape& shape = lowered.shape;
    const std::vector<bool> isSharded = shardedRows(lowered);
    for (int replica = 0; replica < shape.replicas; ++replica)
        for (const StageId stage : Ids<StageId>(shape.stages)) {
            const double share
                = isSharded[shape.row(replica, stage)] ? 1.0 / shape.dataParallel : 1;
            const auto add = [&](MemoryCategory category, double bytes) {
                events.push_back({0, std::llround(share * bytes), MemoryEvent::kNoOp,
                                  static_cast<std::uint16_t>(lowered.device(replica, stage).value),
                                  category});
            };
            add(MemoryCategory::Weights, stages[stage].weights);
            add(MemoryCategory::Gradients, stages[stage].gradients);
            add(MemoryCategory::Optimizer, stages[stage].optimizer);
        }
}

// Adds what a sharded stage holds of the other copies: weights from its UNSHARD to its RESHARD, and
// gradients from its first backward to its ALLREDUCE, which scatters their sums.
void addGathered(const Schedule& lowered, const Timeline& timeline,
                 const IdVector<StageId, StageBytes>& stages, std::vector<MemoryEvent>& events)
{
    const Shape& shape = lowered.shape;
    const std::vector<bool> isSharded = shardedRows(lowered);
    std::vector<bool> isWhole(isSharded.size());
    std::set<std::pair<std::uint32_t, std::uint32_t>> summed; // iteration and row
    const OpIndex index(lowered);
    for (const Track& track : timeline.tracks)
        for (const Span& span : track.spans) {
            const Op& op = opAt(lowered, index, span.op);
            const std::uint32_t row = shape.row(op.replica, op.stage);
            const auto note = [&](std::int64_t time, double bytes, MemoryCategory category) {
                events.push_back({time, std::llround(bytes * (1 - 1.0 / shape.dataParallel)),
                                  span.op, static_cast<std::uint16_t>(track.device.value),
                                  category});
            };
            if (!isSharded[row])
                continue;
            if (isSharding(op.kind) && isWhole[row] != (op.kind == OpKind::Unshard)) {
                isWhole[row] = !isWhole[row];
                note(span.begin, (isWhole[row] ? 1 : -1) * stages[op.stage].weights,
                     MemoryCategory::Weights);
            } else if (finishesBackward(op.kind) && summed.emplace(span.iteration, row).second) {
                note(span.begin, stages[op.stage].gradients, MemoryCategory::Gradients);
            } else if (op.kind == OpKind::AllReduce && summed.erase({span.iteration, row}) > 0) {
                note(span.end, -stages[op.stage].gradients, MemoryCategory::Gradients);
            }
        }
}

class StashEvents
{
public:
    StashEvents(const Schedule& lowered, const IdVector<StageId, StageBytes>& stages,
                std::vector<MemoryEvent>& events)
        : m_shape(lowered.shape)
        , m_rebuilt(lowered)
        , m_stages(stages)
        , m_events(events)
    { }

    void add(DeviceId device, const Op& op, const Span& span)
    {
        if (!op.microBatch.isValid())
            return;
        const StageBytes& stage = m_stages[op.stage];
        const bool keepsLess = !m_rebuilt.any() && stage.kept < stage.stash;
        const HeldChange change
            = heldChange(op, m_shape, keepsLess ? RebuiltBy::Backward : m_rebuilt.of(op));
        note(device.value, span.begin, bytesOf(change.ownAtBegin, stage), span.op);
        note(device.value, span.end, bytesOf(change.ownAtEnd, stage), span.op);
        note(op.peer, span.begin, bytesOf(change.peerAtBegin, stage), span.op);
        note(op.peer, span.end, bytesOf(change.peerAtEnd, stage), span.op);
    }

private:
    std::int64_t bytesOf(const HeldParts& change, const StageBytes& stage) const
    {
        const HeldParts part = partBytes(stage, m_shape);
        return part.whole * change.whole + part.kept * change.kept;
    }
    void note(int device, std::int64_t time, std::int64_t bytes, std::uint32_t op)
    {
        if (bytes != 0 && device < m_shape.devices)
            m_events.push_back(
                {time, bytes, op, static_cast<std::uint16_t>(device), MemoryCategory::Stash});
    }

    const Shape& m_shape;
    RebuiltStashes m_rebuilt;
    const IdVector<StageId, StageBytes>& m_stages;
    std::vector<MemoryEvent>& m_events;
};

// Adds the old weight versions, from the OPT that copies them to their last use.
void addVersions(const Schedule& lowered, const Track& track,
                 const IdVector<StageId, StageBytes>& stages, std::vector<MemoryEvent>& events)
{
    const KeptVersions kept = keptVersions(lowered.on(track.device));
    if (kept.copies.empty())
        return;
    const std::uint32_t first = OpIndex(lowered).of(track.device, 0);
    for (const Span& span : track.spans) {
        const std::uint32_t position = span.op - first, copy = kept.of[position];
        if (copy == KeptVersions::kNone)
            continue;
        const auto note = [&](std::int64_t time, double bytes) {
            events.push_back({time, std::llround(bytes), span.op,
                              static_cast<std::uint16_t>(track.device.value),
                              MemoryCategory::Weights});
        };
        const double bytes = stages[kept.copies[copy].stage].weights;
        if (position == kept.copies[copy].update)
            note(span.begin, bytes);
        if (position == kept.copies[copy].lastUse)
            note(span.end, -bytes);
    }
}

// Adds the buffers of consecutive all-reduces, from the begin of the first one to the end of the
// last one.
void addFlattened(const Schedule& lowered, const Track& track,
                  const IdVector<StageId, StageBytes>& stages, std::vector<MemoryEvent>& events)
{
    constexpr std::size_t kMost = 2; // stages in a buffer
    const OpIndex index(lowered);
    const auto& spans = track.spans;
    for (std::size_t i = 0; i < spans.size();) {
        std::set<StageId> copied; // a device with both replicas of a stage reduces it twice
        std::int64_t end = spans[i].end;
        std::size_t next = i;
        for (; next < spans.size() && spans[next].op == spans[i].op + (next - i); ++next) {
            const StageId stage = opAt(lowered, index, spans[next].op).stage;
            if (copied.size() == kMost && !copied.contains(stage))
                break;
            copied.insert(stage);
            end = std::max(end, spans[next].end);
        }
        double bytes = 0;
        for (const StageId stage : copied)
            bytes += end > spans[i].begin ? stages[stage].gradients : 0;
        for (const auto& [time, change] : {std::pair(spans[i].begin, bytes), {end, -bytes}})
            events.push_back({time, std::llround(change), spans[i].op,
                              static_cast<std::uint16_t>(track.device.value),
                              MemoryCategory::Buffers});
        i = next;
    }
}

} // namespace

HeldParts partBytes(const StageBytes& stage, const Shape& shape)
{
    const double parts = 2.0 * std::max(shape.slices, 1);
    return {std::llround(stage.stash / parts), std::llround(stage.kept / parts)};
}

std::vector<MemoryEvent> simulatedMemory(const Schedule& lowered, const Timeline& timeline,
                                         const IdVector<StageId, StageBytes>& stages,
                                         AllReduceMemory allReduces)
{
    std::vector<MemoryEvent> events;
    StashEvents stashes(lowered, stages, events);
    const OpIndex index(lowered);
    for (const Track& track : timeline.tracks)
        if (track.kind == Track::Kind::Compute || track.kind == Track::Kind::Copy)
            for (const Span& span : track.spans)
                stashes.add(track.device, opAt(lowered, index, span.op), span);
    if (holds(lowered, OpKind::Unshard))
        addGathered(lowered, timeline, stages, events);
    for (const Track& track : timeline.tracks)
        if (track.kind == Track::Kind::Compute)
            addVersions(lowered, track, stages, events);
        else if (track.kind == Track::Kind::AllReduce && allReduces == AllReduceMemory::Flattened)
            addFlattened(lowered, track, stages, events);
    std::ranges::stable_sort(events, {}, [](const MemoryEvent& event) {
        return std::tuple(event.time, event.bytes > 0);
    });
    std::vector<MemoryEvent> all;
    addHeld(lowered, stages, all);
    all.insert(all.end(), events.begin(), events.end());
    return all;
}

} // namespace engine

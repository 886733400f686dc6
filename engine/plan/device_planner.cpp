#include "engine/plan/device_planner.h"

#include <algorithm>

namespace engine {
namespace {

BufferLife lifeOfPiece(const PlannedBuffer& buffer, std::size_t piece)
{
    const BufferLife& life = buffer.life;
    const bool untilInput = piece >= 2 && life.shrinksEarly();
    return {.begin = life.begin,
            .end = untilInput ? life.shrinks : life.end,
            .bytes = buffer.pieces[piece]};
}

} // namespace

DevicePlanner::DevicePlanner(const ExecutionPlanInput& input, const MessagePlan& messages,
                             const IdVector<DeviceId, StashPlan>& stashes, DeviceId device)
    : m_input(input)
    , m_messages(messages)
    , m_stashes(stashes)
    , m_device(device)
{ }

DevicePlan DevicePlanner::plan()
{
    takeStages();
    takeReservations();
    takeProgram();
    return std::move(m_plan);
}

// Reserves the next bytes of the arena; 0 bytes give an empty extent.
Extent DevicePlanner::take(Bytes bytes)
{
    const Extent extent{m_plan.arena, bytes};
    m_plan.arena += aligned(bytes);
    return extent;
}

void DevicePlanner::takeStages()
{
    Bytes workspace = 0;
    bool tokens = false;
    const Schedule& lowered = m_input.lowered;
    for (int replica = 0; replica < lowered.shape.replicas; ++replica)
        for (const StageId stage : Ids<StageId>(lowered.shape.stages)) {
            if (lowered.device(replica, stage) != m_device)
                continue;
            const StageSizes sizes = m_input.model.sizes(stage);
            const Bytes weights = storedBytes(sizes, sizes.parameters),
                        optimizer = floatBytes(sizes.optimizer()),
                        gradients = floatBytes(sizes.parameters);
            const Bytes sums = m_input.accumulate == Accumulate::Exact
                ? Bytes(sizes.parameters * sizeof(std::int64_t))
                : 0;
            m_plan.stages.push_back(
                {replica, stage, take(weights), take(optimizer), take(gradients), take(sums)});
            m_plan.fixed[MemoryCategory::Weights] += weights;
            m_plan.fixed[MemoryCategory::Optimizer] += optimizer;
            m_plan.fixed[MemoryCategory::Gradients] += gradients + sums;
            workspace = std::max(workspace, storedBytes(sizes, sizes.workspace));
            tokens |= stage.value == 0 || stage.value == lowered.shape.stages - 1;
        }
    m_plan.workspace = take(workspace);
    m_plan.tokens = take(tokens ? m_input.tokenBytes : 0);
    m_plan.fixed[MemoryCategory::Buffers] = m_plan.workspace.bytes + m_plan.tokens.bytes;
}

void DevicePlanner::takeReservations()
{
    const Bytes before = m_plan.arena;
    const auto takeAll = [this](const std::vector<Bytes>& sizes, std::vector<Extent>& extents) {
        for (const Bytes bytes : sizes)
            extents.push_back(take(bytes));
    };
    takeAll(m_messages.devices[m_device].sources, m_plan.sources);
    takeAll(m_messages.devices[m_device].slots, m_plan.slots);
    if (anyOp(m_input.lowered, usesHost)) {
        for (const Bytes bytes : m_stashes[m_device].guests) {
            m_plan.onHost.push_back({m_plan.host, bytes});
            m_plan.host += aligned(bytes);
        }
    } else {
        takeAll(m_stashes[stashPartner(m_device, m_input.lowered.shape)].guests, m_plan.guests);
    }
    m_plan.reserved = m_plan.arena - before;
}

// Places the buffers of the program. The pieces of a stash are placed separately, except on a
// device that evicts stashes, because a stash is moved as a whole, and in a schedule with slices,
// because later slices read whole stashes.
void DevicePlanner::placeProgram(const StashPlan& own)
{
    const bool whole = m_input.lowered.shape.slices > 1
        || std::ranges::any_of(own.buffers,
                               [](const PlannedBuffer& b) { return b.evictedBy != kNoIndex; });
    std::vector<BufferLife> lives;
    std::vector<std::array<std::uint32_t, kStashPieces>> livesOf; // [buffer]
    for (const PlannedBuffer& buffer : own.buffers) {
        auto& pieces = livesOf.emplace_back();
        pieces.fill(kNoIndex);
        const bool one = whole || buffer.pieces[0] == 0;
        for (std::size_t k = 0; k < (one ? 1 : kStashPieces); ++k) {
            const BufferLife life = one ? buffer.life : lifeOfPiece(buffer, k);
            if (life.bytes == 0)
                continue;
            pieces[k] = lives.size();
            lives.push_back(life);
        }
    }
    m_plan.layout = layOut(lives);
    for (const auto& pieces : livesOf) {
        StashPlace& place = m_places.emplace_back();
        for (std::size_t k = 0; k < kStashPieces; ++k)
            if (pieces[k] != kNoIndex)
                place[k]
                    = {m_plan.arena + m_plan.layout.offsets[pieces[k]], lives[pieces[k]].bytes};
    }
    m_plan.arena += m_plan.layout.bytes;
    countFullest(own);
}

// Sets DevicePlan::full. Reservations are counted as used at the peak, because they last for the
// whole run.
void DevicePlanner::countFullest(const StashPlan& own)
{
    const auto add
        = [this](MemoryCategory category, Bytes bytes) { m_plan.full[category] += bytes; };
    m_plan.full = m_plan.fixed;
    for (const auto* held : {&m_plan.sources, &m_plan.slots})
        for (const Extent extent : *held)
            add(MemoryCategory::Buffers, extent.bytes);
    for (const Extent extent : m_plan.guests)
        add(MemoryCategory::Stash, extent.bytes);
    for (const PlannedBuffer& buffer : own.buffers)
        add(buffer.category, buffer.life.bytesAt(m_plan.layout.peakAt));
}

void DevicePlanner::takeProgram()
{
    const StashPlan& own = m_stashes[m_device];
    std::vector<BufferLife> stashes;
    for (const PlannedBuffer& buffer : own.buffers)
        if (buffer.category == MemoryCategory::Stash)
            stashes.push_back(buffer.life);
    m_plan.stashPeak = peakOf(stashes);
    placeProgram(own);

    const auto placesOf = [&](const std::vector<std::uint32_t>& buffers) {
        std::vector<StashPlace> places;
        places.reserve(buffers.size());
        for (const std::uint32_t buffer : buffers)
            places.push_back(m_places[buffer]);
        return places;
    };
    for (const StashPlan::OpStash& op : own.of) {
        OpPlan& planned = m_plan.ops.emplace_back();
        planned.stash = placesOf(op.stash);
        planned.made = placesOf(op.made);
        for (const std::uint32_t buffer : op.earlier)
            planned.earlier.push_back(m_places[buffer][0]);
        if (op.input != kNoIndex)
            planned.input = m_places[op.input][0];
        if (op.output != kNoIndex)
            planned.output = m_places[op.output][0];
        if (op.version != kNoIndex)
            planned.version = m_places[op.version][0];
    }
    for (std::size_t i = 0; i < own.buffers.size(); ++i)
        free(own.buffers[i], m_places[i]);
}

// Adds each part of a buffer to OpPlan::freed of the op after which the part is free.
void DevicePlanner::free(const PlannedBuffer& buffer, const StashPlace& place)
{
    const BufferLife& life = buffer.life;
    const bool isWhole = place[0].bytes == life.bytes;
    if (buffer.evictedBy != kNoIndex)
        return;
    if (isWhole && life.shrinksEarly()) {
        m_plan.ops[life.shrinks].freed.push_back(
            {place[0].offset + life.rest, life.bytes - life.rest});
        m_plan.ops[life.end].freed.push_back({place[0].offset, life.rest});
        return;
    }
    for (std::size_t k = 0; k < kStashPieces; ++k)
        if (place[k].bytes > 0)
            m_plan.ops[isWhole ? life.end : lifeOfPiece(buffer, k).end].freed.push_back(place[k]);
}

} // namespace engine

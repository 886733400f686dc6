#include "engine/exec/device_planner.h"

#include <algorithm>

namespace engine {
namespace {

Bytes& fixed(DevicePlan& plan, MemoryCategory category)
{
    return plan.fixed[static_cast<std::size_t>(category)];
}

} // namespace

DevicePlanner::DevicePlanner(const ExecutionPlanInput& input, const MessagePlan& messages,
                             const std::vector<StashPlan>& stashes, DeviceId device)
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

// The next free bytes. Empty ones stay empty: no tensor begins there.
Extent DevicePlanner::take(Bytes bytes)
{
    const Extent extent{m_plan.arena, bytes};
    m_plan.arena += aligned(bytes);
    return extent;
}

void DevicePlanner::takeStages()
{
    std::size_t workspace = 0;
    bool tokens = false;
    const Schedule& lowered = m_input.lowered;
    for (std::size_t r = 0; r < lowered.deviceOf.size(); ++r)
        for (int s = 0; s < lowered.shape.stages; ++s) {
            if (lowered.device(static_cast<int>(r), StageId{s}) != m_device)
                continue;
            const StageSizes sizes = m_input.unit.sizes(StageId{s});
            const Bytes bytes = floatBytes(sizes.parameters);
            const Bytes sums = m_input.accumulate == Accumulate::Exact
                ? static_cast<Bytes>(sizes.parameters * sizeof(std::int64_t))
                : 0;
            m_plan.stages.push_back({static_cast<int>(r), StageId{s}, take(bytes), take(2 * bytes),
                                     take(bytes), take(sums)});
            fixed(m_plan, MemoryCategory::Weights) += bytes;
            fixed(m_plan, MemoryCategory::Optimizer) += 2 * bytes;
            fixed(m_plan, MemoryCategory::Gradients) += bytes + sums;
            workspace = std::max(workspace, sizes.workspace);
            tokens |= s == 0 || s == lowered.shape.stages - 1;
        }
    m_plan.workspace = take(floatBytes(workspace));
    m_plan.tokens = take(tokens ? m_input.tokenBytes : 0);
    fixed(m_plan, MemoryCategory::Buffers) = m_plan.workspace.bytes + m_plan.tokens.bytes;
}

void DevicePlanner::takeReservations()
{
    const auto device = indexOf(m_device);
    const Bytes before = m_plan.arena;
    const auto takeAll = [this](const std::vector<Bytes>& sizes, std::vector<Extent>& extents) {
        for (const Bytes bytes : sizes)
            extents.push_back(take(bytes));
    };
    takeAll(m_messages.devices[device].sources, m_plan.sources);
    takeAll(m_messages.devices[device].slots, m_plan.slots);
    const DeviceId partner = stashPartner(m_device, m_input.lowered.shape);
    takeAll(m_stashes[indexOf(partner)].guests, m_plan.guests);
    m_plan.reserved = m_plan.arena - before;
}

void DevicePlanner::takeProgram()
{
    const StashPlan& own = m_stashes[indexOf(m_device)];
    std::vector<BufferLife> lives, stashes;
    for (const PlannedBuffer& buffer : own.buffers) {
        lives.push_back(buffer.life);
        if (buffer.category == MemoryCategory::Stash)
            stashes.push_back(buffer.life);
    }
    m_plan.layout = layOut(lives);
    m_plan.stashPeak = peakOf(stashes);
    const Bytes base = m_plan.arena;
    m_plan.arena += m_plan.layout.bytes;

    const auto extentOf = [&](std::uint32_t buffer) {
        return Extent{base + m_plan.layout.offsets[buffer], lives[buffer].bytes};
    };
    const auto extentsOf = [&](const std::vector<std::uint32_t>& buffers) {
        std::vector<Extent> extents;
        extents.reserve(buffers.size());
        for (const std::uint32_t buffer : buffers)
            extents.push_back(extentOf(buffer));
        return extents;
    };
    for (const StashPlan::OpStash& op : own.of) {
        OpPlan& planned = m_plan.ops.emplace_back();
        planned.stash = extentsOf(op.stash);
        planned.made = extentsOf(op.made);
        planned.earlier = extentsOf(op.earlier);
        if (op.input != kNoIndex)
            planned.input = extentOf(op.input);
        if (op.output != kNoIndex)
            planned.output = extentOf(op.output);
        if (op.version != kNoIndex)
            planned.version = extentOf(op.version);
    }
    for (std::size_t i = 0; i < own.buffers.size(); ++i) {
        const BufferLife& life = lives[i];
        const Extent whole = extentOf(static_cast<std::uint32_t>(i));
        const bool shrinks = life.shrinks < life.end;
        if (own.buffers[i].evictedBy == kNoIndex)
            m_plan.ops[life.end].freed.push_back({whole.offset, shrinks ? life.rest : life.bytes});
        if (shrinks)
            m_plan.ops[life.shrinks].freed.push_back(
                {whole.offset + life.rest, life.bytes - life.rest});
    }
}

} // namespace engine

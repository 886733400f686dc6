#include "engine/schedule/schedule.h"

#include "engine/base/check.h"

#include <algorithm>

namespace engine {

bool isCompute(OpKind kind)
{
    return !isTransfer(kind) && !isCopy(kind) && !isSharding(kind) && kind != OpKind::AllReduce;
}

bool isBackward(OpKind kind)
{
    return finishesBackward(kind) || kind == OpKind::BackwardInput;
}

bool isPass(OpKind kind)
{
    return kind == OpKind::Forward || isBackward(kind);
}

bool runsMicroBatch(OpKind kind)
{
    return isCompute(kind) && hasMicroBatch(kind);
}

bool finishesBackward(OpKind kind)
{
    return kind == OpKind::Backward || kind == OpKind::BackwardWeight;
}

bool hasMicroBatch(OpKind kind)
{
    return kind < OpKind::AllReduce;
}

bool isTransfer(OpKind kind)
{
    return kind >= OpKind::SendActivation && kind <= OpKind::RecvGradient;
}

bool isCopy(OpKind kind)
{
    return kind == OpKind::Evict || kind == OpKind::Load;
}

bool isSharding(OpKind kind)
{
    return kind == OpKind::Unshard || kind == OpKind::Reshard;
}

std::size_t opCount(const Schedule& schedule)
{
    std::size_t count = 0;
    for (const auto& ops : schedule.program)
        count += ops.size();
    return count;
}

Schedule keepOps(Schedule schedule, bool (*keep)(OpKind))
{
    for (auto& program : schedule.program)
        std::erase_if(program, [keep](const Op& op) { return !keep(op.kind); });
    return schedule;
}

bool hasHalves(const Schedule& schedule)
{
    return anyOp(schedule, [](const Op& op) { return op.flags == OpFlag::Half; });
}

OpIndex::OpIndex(const Schedule& schedule)
{
    m_first.reserve(schedule.program.size() + 1);
    std::uint32_t count = 0;
    for (const auto& ops : schedule.program) {
        m_first.push_back(count);
        count += ops.size();
    }
    m_first.push_back(count);
}

DeviceId OpIndex::deviceOf(std::uint32_t op) const
{
    CHECK(op < count());
    const auto next = std::ranges::upper_bound(m_first, op);
    return {static_cast<std::int32_t>(next - m_first.begin()) - 1};
}

std::uint32_t OpIndex::positionOf(std::uint32_t op) const
{
    return op - m_first[deviceOf(op)];
}

const Op& opAt(const Schedule& schedule, const OpIndex& index, std::uint32_t op)
{
    const DeviceId device = index.deviceOf(op);
    return schedule.on(device)[op - index.of(device, 0)];
}

} // namespace engine

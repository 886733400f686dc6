#include "engine/base/check.h"
#include "engine/plan/device_planner.h"

#include <algorithm>
#include <map>

namespace engine {
namespace {

class Connector
{
public:
    Connector(const PlanParts& parts, ExecutionPlan& plan)
        : m_parts(parts)
        , m_plan(plan)
    {
        for (std::uint32_t i = 0; i < plan.collectives.size(); ++i)
            m_sums[{plan.collectives[i].stage, plan.collectives[i].round}].push_back(i);
    }

    void messages()
    {
        const auto& all = m_parts.messages.messages;
        std::vector<std::uint32_t> number(all.size(), kNoIndex);
        for (std::size_t i = 0; i < all.size(); ++i) {
            const PlannedMessage& message = all[i];
            if (!message.isSent())
                continue;
            number[i] = m_plan.messages.size();
            m_plan.messages.push_back(sent(message));
        }
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i].isSent())
                connect(all[i], number[i],
                        all[i].nextInSlot == kNoIndex ? kNoIndex : number[all[i].nextInSlot]);
        for (const DeviceId d : m_plan.devices.ids())
            for (const std::uint32_t first : m_parts.messages.first[d])
                m_plan.devices[d].firstPosts.push_back(number[first]);
    }

    void copiesAndCollectives()
    {
        for (const DeviceId device : m_plan.devices.ids()) {
            const std::span<const Op> program = m_parts.lowered.on(device);
            m_calls.clear();
            for (std::uint32_t i = 0; i < program.size(); ++i) {
                const Op& op = program[i];
                if (isCopy(op.kind))
                    copy(device, i, op);
                if (op.kind == OpKind::AllReduce) {
                    ++m_calls[{op.replica, op.stage}];
                    allReduce({device, i}, program);
                }
                if (op.kind == OpKind::OptimizerStep)
                    for (const std::uint32_t id : reductionsOf(op))
                        waitFor({device, i}, {Fence::Kind::Reduced, id});
            }
            reuseOfEvicted(device);
        }
    }

private:
    // Sets the collectives of an ALLREDUCE. A device calls the all-reduce once for each replica
    // that it holds; only the last of these calls waits if the all-reduce is blocking.
    void allReduce(HappensBefore::Place place, std::span<const Op> program)
    {
        const Op& op = program[place.position];
        OpPlan& own = planOf(place);
        own.reductions = reductionsOf(op);
        const bool isLast = place.position + 1 == program.size()
            || program[place.position + 1].kind != OpKind::AllReduce
            || allReduceStage(program[place.position + 1]) != allReduceStage(op);
        for (std::size_t i = 0; i < own.reductions.size() && isLast; ++i)
            own.waits.push_back({Fence::Kind::Reduced, own.reductions[i]});
    }

    ExecutionPlan::SentMessage sent(const PlannedMessage& message) const
    {
        const DevicePlan& from = deviceOf(message.maker.device);
        const DevicePlan& to = deviceOf(message.user.device);
        return {message.maker.device,
                message.user.device,
                {from.sources[message.source].offset, message.bytes},
                {to.slots[message.slot].offset, message.bytes},
                message.value};
    }

    void connect(const PlannedMessage& message, std::uint32_t id, std::uint32_t next)
    {
        const ExecutionPlan::SentMessage& sent = m_plan.messages[id];
        planOf(message.maker).output = sent.source;
        planOf({message.maker.device, message.send}).transfer = id;
        planOf({message.user.device, message.receive}).transfer = id;
        planOf(message.user).input = sent.slot;
        waitFor(message.user, {Fence::Kind::Arrived, id});
        OpPlan& last = planOf({message.user.device, m_parts.order.groupOf(message.user).last});
        last.freed.push_back(sent.slot);
        if (next != kNoIndex)
            last.posts.push_back(next);
    }

    void copy(DeviceId device, std::uint32_t position, const Op& op)
    {
        const bool evicts = op.kind == OpKind::Evict;
        const DeviceId partner
            = usesHost(op) ? device : stashPartner(device, m_parts.lowered.shape);
        OpPlan& own = planOf({device, position});
        const StashPlan& stash = m_parts.stashes[device];
        const StashPlan::OpStash& buffers = stash.of[position];
        CHECK(buffers.guest != kNoIndex);
        own.transfer = m_plan.copies.size();
        const auto& guests = usesHost(op) ? deviceOf(device).onHost : deviceOf(partner).guests;
        const Extent guest = guests[buffers.guest];
        const Extent local = evicts ? own.stash.front()[0] : own.made.front()[0];
        m_plan.copies.push_back({device, partner, local, guest, evicts});
        if (evicts)
            return;
        const std::uint32_t loaded = buffers.made.front();
        const std::span<const Op> program = m_parts.lowered.on(device);
        for (std::uint32_t i = position; i < program.size(); ++i)
            if (isCompute(program[i].kind) && std::ranges::count(stash.of[i].stash, loaded) > 0)
                waitFor({device, i}, {Fence::Kind::Copied, own.transfer});
    }

    // Makes ops that reuse the memory of an evicted stash wait until the stash has been moved.
    void reuseOfEvicted(DeviceId device)
    {
        const std::span<const Op> program = m_parts.lowered.on(device);
        const auto& buffers = m_parts.stashes[device].buffers;
        const auto& offsets = m_plan.devices[device].layout.offsets;
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            if (buffers[i].evictedBy == kNoIndex)
                continue;
            const Fence gone{Fence::Kind::Copied, planOf({device, buffers[i].evictedBy}).transfer};
            for (std::size_t k = 0; k < buffers.size(); ++k) {
                const BufferLife& after = buffers[k].life;
                const bool overlaps = offsets[k] < offsets[i] + buffers[i].life.bytes
                    && offsets[i] < offsets[k] + after.bytes;
                if (after.begin > buffers[i].life.end && overlaps
                    && isCompute(program[after.begin].kind)) {
                    waitFor({device, after.begin}, gone);
                    if (after.bytes >= buffers[i].life.bytes && offsets[k] == offsets[i])
                        // Later ops that reuse the memory run after this op and need not wait.
                        break;
                }
            }
        }
    }

    // Of an ALLREDUCE, or of the last ALLREDUCE before an OPT.
    std::vector<std::uint32_t> reductionsOf(const Op& op)
    {
        const int round = m_calls[{op.replica, op.stage}] - 1;
        std::vector<std::uint32_t> all = m_sums[{allReduceStage(op), round}];
        std::erase_if(all, [&](std::uint32_t id) {
            return std::ranges::none_of(m_plan.collectives[id].members, [&op](const auto& member) {
                return member.stage == op.stage;
            });
        });
        return all;
    }

    const DevicePlan& deviceOf(DeviceId id) const { return m_plan.devices[id]; }
    OpPlan& planOf(HappensBefore::Place place)
    {
        return m_plan.devices[place.device].ops[place.position];
    }
    // Adds the fence to the op, or to the first op of a joint group.
    void waitFor(HappensBefore::Place place, Fence fence)
    {
        planOf({place.device, m_parts.order.groupOf(place).first}).waits.push_back(fence);
    }

    const PlanParts& m_parts;
    ExecutionPlan& m_plan;
    std::map<std::pair<StageId, int>, std::vector<std::uint32_t>> m_sums; // [stage, round]
    // [replica, stage] The number of ALLREDUCE ops so far.
    std::map<std::pair<std::uint8_t, StageId>, int> m_calls;
};

} // namespace

void connect(const PlanParts& parts, ExecutionPlan& plan)
{
    Connector connector(parts, plan);
    connector.messages();
    connector.copiesAndCollectives();
}

} // namespace engine

#include "engine/transport/matched.h"

#include "engine/base/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace engine {
namespace {

CommunicatorPlan planOf(const Message& message)
{
    return {fmt::format("{} {} -> {}",
                        message.carries == Message::Carries::Gradient ? "gradients" : "activations",
                        message.from.value, message.to.value),
            CommunicatorPlan::Carries::Messages,
            {message.from, message.to}};
}

CommunicatorPlan planOf(const Collective& collective)
{
    CommunicatorPlan plan{fmt::format("all-reduce of stage {}", collective.stage.value),
                          CommunicatorPlan::Carries::Sums,
                          {}};
    for (const DeviceId id : collective.members)
        if (std::ranges::find(plan.ranks, id) == plan.ranks.end())
            plan.ranks.push_back(id);
    return plan;
}

} // namespace

CommunicatorPlans planCommunicators(const Traffic& traffic)
{
    CommunicatorPlans plans;
    std::map<std::tuple<DeviceId, DeviceId, Message::Carries>, std::size_t> lines;
    for (const Message& message : traffic.messages) {
        const auto [line, isNew]
            = lines.try_emplace({message.from, message.to, message.carries}, plans.all.size());
        if (isNew)
            plans.all.push_back(planOf(message));
        plans.ofMessage.push_back(line->second);
    }
    for (const Collective& collective : traffic.collectives) {
        CommunicatorPlan plan = planOf(collective);
        if (plan.ranks.size() == 1) {
            plans.ofSum.push_back(CommunicatorPlans::kNone);
            continue;
        }
        const auto known = std::ranges::find(plans.all, plan);
        plans.ofSum.push_back(known - plans.all.begin());
        if (known == plans.all.end())
            plans.all.push_back(std::move(plan));
    }
    return plans;
}

MatchedTransport::MatchedTransport(Traffic traffic, IdVector<DeviceId, const Device*> all,
                                   const MakeCommunicators& join)
    : QueuedTransport(std::move(traffic), std::move(all), Moves::Derived)
    , m_plans(planCommunicators(this->traffic()))
{
    makeLines();
    makeSums();
    m_communicators = join(devices(), m_plans.all);
}

MatchedTransport::~MatchedTransport() = default;

void MatchedTransport::makeLines()
{
    for (const CommunicatorPlan& plan : m_plans.all)
        if (plan.carries == CommunicatorPlan::Carries::Messages)
            m_lines.push_back({device(plan.ranks.front()).makeQueue(plan.name),
                               device(plan.ranks.back()).makeQueue(plan.name)});
    for (const Message& message : traffic().messages)
        m_sendBegin.push_back(device(message.from).makeEvent(Device::Timed::Yes));
}

void MatchedTransport::makeMember(DeviceId id, Member& made) const
{
    made.device = id;
    made.called = device(id).makeEvent(Device::Timed::No);
    made.state.begin = device(id).makeEvent(Device::Timed::Yes);
    made.state.end = device(id).makeEvent(Device::Timed::Yes);
}

void MatchedTransport::makeSums()
{
    std::map<std::pair<std::size_t, DeviceId>, std::shared_ptr<DeviceQueue>> queues;
    for (const Collective& collective : traffic().collectives) {
        const std::size_t communicator = m_plans.ofSum[m_sums.size()];
        Sum& sum = m_sums.emplace_back();
        const std::string name = fmt::format("all-reduce of stage {}", collective.stage.value);
        for (std::size_t i = 0; i < collective.members.size(); ++i) {
            const DeviceId id = collective.members[i];
            auto member = std::ranges::find(sum.members, id, &Member::device);
            if (member == sum.members.end()) {
                makeMember(id, sum.members.emplace_back());
                member = std::prev(sum.members.end());
                auto& queue = queues[{communicator, id}];
                if (queue == nullptr)
                    queue = device(id).makeQueue(name);
                member->queue = queue;
            }
            member->buffers.push_back(i);
        }
    }
}

auto MatchedTransport::memberOf(DeviceId self, std::uint32_t collective) -> Member&
{
    const auto member = std::ranges::find(m_sums[collective].members, self, &Member::device);
    CHECK(member != m_sums[collective].members.end());
    return *member;
}

// False if abort() has ended the call; the caller of abort() reports the cause.
template<class Call>
bool MatchedTransport::attempt(const Call& call) const
try {
    call();
    return !isAborted();
} catch (const std::exception&) {
    if (isAborted())
        return false;
    throw;
}

bool MatchedTransport::send(DeviceId self, std::uint32_t message)
{
    const Message& what = traffic().messages[message];
    const std::size_t communicator = m_plans.ofMessage[message];
    const Line& line = m_lines[communicator];
    device(self).queue()->record(*made(message));
    line.sends->wait(*made(message));
    line.sends->record(*m_sendBegin[message]);
    return attempt([&] { m_communicators->send(self, communicator, what.source, *line.sends); });
}

void MatchedTransport::receive(DeviceId self, std::uint32_t message)
{
    const Fence arrived{Fence::Kind::Arrived, message};
    const Message& what = traffic().messages[message];
    const std::size_t communicator = m_plans.ofMessage[message];
    const Line& line = m_lines[communicator];
    line.receives->wait(*state({Fence::Kind::Credit, message}).end);
    line.receives->record(*state(arrived).begin);
    attempt([&] { m_communicators->receive(self, communicator, what.slot, *line.receives); });
    line.receives->record(*state(arrived).end);
    markQueued(arrived, self);
}

// A device with several buffers of a collective calls this function once for each buffer. The last
// call adds the buffers locally.
void MatchedTransport::allReduce(DeviceId self, std::uint32_t id)
{
    Member& member = memberOf(self, id);
    if (member.iteration != iteration()) {
        member.iteration = iteration();
        member.joined = 0;
    }
    device(self).queue()->record(*member.called);
    if (++member.joined < member.buffers.size())
        return;
    member.queue->wait(*member.called);
    attempt([&] { add(id, member); });
    member.state.queued.store(iteration(), std::memory_order_release);
}

void MatchedTransport::add(std::uint32_t id, Member& member)
{
    const Collective& collective = traffic().collectives[id];
    if (collective.integers.empty())
        add<float>(collective.floats, m_plans.ofSum[id], member);
    else
        add<std::int64_t>(collective.integers, m_plans.ofSum[id], member);
}

template<class Number>
void MatchedTransport::add(std::span<const std::span<Number>> buffers, std::size_t communicator,
                           Member& member)
{
    const std::span<Number> own = buffers[member.buffers.front()];
    const std::span<const std::size_t> others = std::span(member.buffers).subspan(1);
    for (const std::size_t other : others)
        member.queue->add(std::span<const Number>(buffers[other]), own);
    member.queue->record(*member.state.begin);
    if (communicator != CommunicatorPlans::kNone)
        m_communicators->sum(member.device, communicator, own, *member.queue);
    const int gpu = device(member.device).gpu();
    for (const std::size_t other : others)
        member.queue->copy({std::as_bytes(own), std::as_writable_bytes(buffers[other]), gpu, gpu});
    member.queue->record(*member.state.end);
}

bool MatchedTransport::wait(DeviceId self, Fence fence)
{
    if (fence.kind != Fence::Kind::Reduced)
        return QueuedTransport::wait(self, fence) && !isAborted();
    const Member& member = memberOf(self, fence.id);
    device(self).queue()->wait(*member.state.end);
    return !isAborted();
}

void MatchedTransport::abort()
{
    QueuedTransport::abort();
    m_communicators->abort();
}

void MatchedTransport::poll()
{
    attempt([this] { m_communicators->poll(); });
}

bool MatchedTransport::hasPassed(Fence fence) const
{
    if (fence.kind != Fence::Kind::Reduced)
        return QueuedTransport::hasPassed(fence);
    return std::ranges::all_of(m_sums[fence.id].members, [this](const Member& member) {
        return member.state.queued.load(std::memory_order_acquire) == iteration()
            && member.state.end->hasPassed();
    });
}

TransferTime MatchedTransport::timeOf(Fence fence) const
{
    TransferTime time{INT64_MIN, INT64_MIN};
    const auto take = [&time](const DeviceEvent& begin, const DeviceEvent& end) {
        time = {std::max(time.begin, begin.time()), std::max(time.end, end.time())};
    };
    if (fence.kind == Fence::Kind::Reduced) {
        for (const Member& member : m_sums[fence.id].members)
            take(*member.state.begin, *member.state.end);
    } else {
        time = QueuedTransport::timeOf(fence);
        if (fence.kind == Fence::Kind::Arrived)
            time.begin = std::max(time.begin, m_sendBegin[fence.id]->time());
    }
    time.begin = std::min(time.begin, time.end); // the clocks of two GPUs differ slightly
    return time;
}

} // namespace engine

#include "engine/transport/communicator_plans.h"

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

} // namespace engine

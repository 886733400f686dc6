#include "engine/plan/data_parallel.h"

namespace engine {

Traffic trafficOf(const ExecutionPlan& plan, const CopyNumbers& numbers)
{
    Traffic traffic;
    for (int copy = 0; copy < numbers.copies(); ++copy)
        for (const ExecutionPlan::SentMessage& message : plan.messages)
            traffic.messages.push_back({numbers.device(message.from, copy),
                                        numbers.device(message.to, copy),
                                        {},
                                        {},
                                        message.value.kind == Value::Kind::Gradient
                                            ? Message::Carries::Gradient
                                            : Message::Carries::Activation});
    for (const ExecutionPlan::PlannedCollective& planned : plan.collectives) {
        Collective& collective = traffic.collectives.emplace_back();
        collective.stage = planned.stage;
        for (int copy = 0; copy < numbers.copies(); ++copy)
            for (const auto& member : planned.members)
                collective.members.push_back(numbers.device(member.device, copy));
    }
    return traffic;
}

} // namespace engine

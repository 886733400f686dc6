#include "engine/plan/execution_plan.h"

#include "engine/plan/collective_plan.h"
#include "engine/plan/device_planner.h"
#include "engine/plan/plan_memory_log.h"

namespace engine {
ExecutionPlan planExecution(const ExecutionPlanInput& input)
{
    const Shape& shape = input.lowered.shape;
    const HappensBefore order(input.lowered);
    ExecutionPlan plan;
    plan.units = unitsPerMicroBatch(input.lowered);
    plan.width = shape.dataParallel;
    plan.order = order.order();
    plan.collectives = planCollectives(input.lowered, input.unit);
    const MessagePlan messages = planMessages(input.lowered, order, [&](const Value& value) {
        const StageSizes sizes = input.unit.sizes(value.stage);
        const int units = value.slice == Op::kWhole ? plan.units : 1;
        return units
            * storedBytes(sizes,
                          value.kind == Value::Kind::Activation ? sizes.output : sizes.input);
    });
    std::vector<StashPlan> stashes;
    stashes.reserve(static_cast<std::size_t>(shape.devices));
    for (int d = 0; d < shape.devices; ++d)
        stashes.push_back(planStash({input.lowered, order, messages, input.unit}, DeviceId{d}));
    for (int d = 0; d < shape.devices; ++d)
        plan.devices.push_back(DevicePlanner(input, messages, stashes, DeviceId{d}).plan());
    connect({input.lowered, order, messages, stashes}, plan);
    plan.memory = planMemoryLog({input.lowered, order, messages, stashes}, plan);
    return plan;
}

double ExecutionPlan::total() const
{
    double bytes = 0;
    for (const DevicePlan& device : devices)
        bytes += static_cast<double>(device.arena);
    return bytes * width;
}

double recordBytes(std::size_t ops, std::int64_t iterations)
{
    constexpr double kPlaced = sizeof(Span) + sizeof(std::int64_t) + 2 * sizeof(MemoryEvent);
    constexpr double kGrowth = 2,
                     kAtWork = 3; // growth of vectors; data of the current iteration
    return static_cast<double>(ops) * kPlaced
        * (kGrowth * static_cast<double>(iterations) + kAtWork);
}

} // namespace engine

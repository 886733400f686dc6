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
    plan.collectives = planCollectives(input.lowered, input.model);
    const MessagePlan messages = planMessages(input.lowered, order, [&](const Value& value) {
        const StageSizes sizes = input.model.sizes(value.stage);
        const int units = value.slice == Op::kWhole ? plan.units : 1;
        return units
            * storedBytes(sizes,
                          value.kind == Value::Kind::Activation ? sizes.output : sizes.input);
    });
    IdVector<DeviceId, StashPlan> stashes;
    stashes.reserve(shape.devices);
    for (const DeviceId d : Ids<DeviceId>(shape.devices))
        stashes.push_back(planStash({input.lowered, order, messages, input.model}, d));
    for (const DeviceId d : stashes.ids())
        plan.devices.push_back(DevicePlanner(input, messages, stashes, d).plan());
    connect({input.lowered, order, messages, stashes}, plan);
    plan.memory = planMemoryLog({input.lowered, order, messages, stashes}, plan);
    return plan;
}

double ExecutionPlan::total() const
{
    double bytes = 0;
    for (const DevicePlan& device : devices)
        bytes += device.arena;
    return bytes * width;
}

double recordBytes(std::size_t ops, std::int64_t iterations)
{
    constexpr double kPlaced = sizeof(Span) + sizeof(std::int64_t) + 2 * sizeof(MemoryEvent);
    // kGrowth: the capacity of a growing vector relative to its size. kAtWork: the size of
    // temporary data relative to that of one iteration.
    constexpr double kGrowth = 2, kAtWork = 3;
    return ops * kPlaced * (kGrowth * iterations + kAtWork);
}

} // namespace engine

#include "engine/exec/memory_plan.h"

#include "engine/exec/gradients.h"

#include <algorithm>

namespace engine {
namespace {

Bytes& fixed(DeviceMemoryPlan& plan, MemoryCategory category)
{
    return plan.fixed[static_cast<std::size_t>(category)];
}

// The tensors of a stage that a device holds for the whole run.
void addStage(const MemoryPlanInput& input, StageId stage, DeviceMemoryPlan& plan)
{
    const StageSizes sizes = input.model.sizes(stage);
    fixed(plan, MemoryCategory::Weights) += floatBytes(sizes.parameters);
    fixed(plan, MemoryCategory::Optimizer) += floatBytes(2 * sizes.parameters);
    fixed(plan, MemoryCategory::Gradients) += Gradients::bytes(sizes.parameters, input.accumulate);
}

void addFixed(const MemoryPlanInput& input, DeviceId device, DeviceMemoryPlan& plan)
{
    std::size_t workspace = 0;
    bool tokens = false;
    for (const auto& placement : input.lowered.deviceOf)
        for (int s = 0; s < input.lowered.shape.stages; ++s)
            if (placement[static_cast<std::size_t>(s)] == device) {
                addStage(input, StageId{s}, plan);
                workspace = std::max(workspace, input.model.sizes(StageId{s}).workspace);
                tokens |= s == 0 || s == input.lowered.shape.stages - 1;
            }
    fixed(plan, MemoryCategory::Buffers) += floatBytes(workspace) + (tokens ? input.tokenBytes : 0);
}

// Walks the program: a stash lives from its F to its B.
void addStashes(const MemoryPlanInput& input, DeviceId device, MemoryPlan& plan)
{
    DeviceMemoryPlan& own = plan.devices[static_cast<std::size_t>(device.value)];
    std::vector<std::vector<int>> inFlight(
        static_cast<std::size_t>(input.lowered.shape.replicas),
        std::vector<int>(static_cast<std::size_t>(input.lowered.shape.stages)));
    Bytes alive = 0;
    for (const Op& op : input.lowered.on(device)) {
        if (op.kind != OpKind::Forward && op.kind != OpKind::Backward)
            continue;
        const auto stage = static_cast<std::size_t>(op.stage.value);
        const int change = op.kind == OpKind::Forward ? 1 : -1;
        const int count = inFlight[op.replica][stage] += change;
        int& slots = plan.stashSlots[op.replica][stage];
        alive += change * stashBytes(input.model, op.stage);
        own.stashPeak = std::max(own.stashPeak, alive);
        if (count > slots) {
            slots = count;
            own.stashReserved += stashBytes(input.model, op.stage);
        }
    }
}

} // namespace

Bytes stashBytes(const PipelineModel<float>& model, StageId stage)
{
    return floatBytes(model.sizes(stage).stash);
}

std::size_t messageNumbers(const PipelineModel<float>& model)
{
    std::size_t largest = 0;
    for (int s = 0; s < model.stages(); ++s)
        largest = std::max(largest, model.sizes(StageId{s}).output);
    return largest;
}

MemoryPlan planMemory(const MemoryPlanInput& input)
{
    const Shape& shape = input.lowered.shape;
    MemoryPlan plan{std::vector<DeviceMemoryPlan>(static_cast<std::size_t>(shape.devices)),
                    {static_cast<std::size_t>(shape.replicas),
                     std::vector<int>(static_cast<std::size_t>(shape.stages))},
                    floatBytes(messageNumbers(input.model))};
    for (int d = 0; d < shape.devices; ++d) {
        addFixed(input, DeviceId{d}, plan.devices[static_cast<std::size_t>(d)]);
        addStashes(input, DeviceId{d}, plan);
    }
    return plan;
}

double MemoryPlan::total() const
{
    double bytes = 0;
    for (const DeviceMemoryPlan& device : devices) {
        bytes += static_cast<double>(device.stashReserved);
        for (const Bytes part : device.fixed)
            bytes += static_cast<double>(part);
    }
    for (const auto& stages : stashSlots)
        for (const int slots : stages)
            bytes += 2.0 * slots * static_cast<double>(message);
    return bytes;
}

double recordBytes(std::size_t ops, std::int64_t iterations)
{
    constexpr double kPlaced = sizeof(Span) + sizeof(std::int64_t) + 2 * sizeof(MemoryEvent);
    constexpr double kGrowth = 2, kAtWork = 3; // vectors that double; what one iteration is made of
    return static_cast<double>(ops) * kPlaced
        * (kGrowth * static_cast<double>(iterations) + kAtWork);
}

} // namespace engine

#include "engine/exec/op_costs.h"

#include "engine/plan/execution_plan.h"

#include <algorithm>

namespace engine {
namespace {

constexpr double kFlopsPerNanosecond = 20; // only the ratios matter
constexpr double kFlopsPerUpdate = 16;     // per parameter

std::int64_t atLeastOne(double nanoseconds)
{
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(nanoseconds));
}

double flopsOf(const StageFlops& flops, OpKind kind)
{
    switch (kind) {
    case OpKind::Forward:
        return flops.forward;
    case OpKind::BackwardInput:
        return flops.backwardInput;
    case OpKind::BackwardWeight:
        return flops.backwardWeight;
    case OpKind::Recompute:
        return flops.recompute;
    default:
        return flops.backwardInput + flops.backwardWeight;
    }
}

std::int64_t allReduceCost(const EmulationCosts& input, const Op& op, std::size_t parameters)
{
    const Shape& shape = input.lowered.shape;
    const int holders = shape.replicas * shape.dataParallel;
    if (!tiesEmbeddings(op))
        return ringAllReduce(input.link, holders, floatBytes(parameters));
    const std::size_t tied = input.model.tied()->count;
    return ringAllReduce(input.link, 2 * holders, floatBytes(tied))
        + ringAllReduce(input.link, holders, floatBytes(parameters - tied));
}

OpCosts::Cost costOf(const EmulationCosts& input, const Op& op, int unitsPerMicroBatch)
{
    const StageSizes sizes = input.model.sizes(op.stage);
    const int units = unitsOf(op, unitsPerMicroBatch).count;
    const auto message = [&](std::size_t numbers) {
        return OpCosts::Cost{input.link.busy(units * storedBytes(sizes, numbers)),
                             input.link.latency.count()};
    };
    switch (op.kind) {
    case OpKind::SendActivation:
        return message(sizes.output);
    case OpKind::SendGradient:
        return message(sizes.input);
    case OpKind::Evict:
    case OpKind::Load:
        return {input.link.busy(units * storedBytes(sizes, sizes.stash))
                    + input.link.latency.count(),
                0};
    case OpKind::AllReduce:
        return {allReduceCost(input, op, sizes.parameters), 0};
    case OpKind::OptimizerStep:
        return {atLeastOne(sizes.parameters * kFlopsPerUpdate / kFlopsPerNanosecond), 0};
    case OpKind::RecvActivation:
    case OpKind::RecvGradient:
        return {};
    default:
        return {
            atLeastOne(units * flopsOf(input.model.flops(op.stage), op.kind) / kFlopsPerNanosecond),
            0};
    }
}

} // namespace

std::int64_t ringAllReduce(const LinkCost& link, int devices, Bytes bytes)
{
    return std::int64_t{2} * (devices - 1) * (link.latency.count() + link.busy(bytes / devices));
}

OpCosts estimatedCosts(const EmulationCosts& input)
{
    const int units = unitsPerMicroBatch(input.lowered);
    OpCosts costs;
    for (const auto& program : input.lowered.program) {
        auto& own = costs.of.emplace_back();
        for (const Op& op : program)
            own.push_back(costOf(input, op, units));
    }
    return costs;
}

} // namespace engine

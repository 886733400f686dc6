#include "engine/exec/op_costs.h"

#include "engine/exec/memory_plan.h"

#include <algorithm>

namespace engine {
namespace {

constexpr double kFlopsPerNanosecond = 20; // only the proportions matter
constexpr double kFlopsPerUpdate = 16;     // of one parameter

std::int64_t atLeastOne(double nanoseconds)
{
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(nanoseconds));
}

OpCosts::Cost costOf(const EmulationCosts& input, const Op& op)
{
    const StageSizes sizes = input.model.sizes(op.stage);
    const double forward = input.model.flops(op.stage).forward / kFlopsPerNanosecond;
    const auto message = [&](std::size_t numbers) {
        return OpCosts::Cost{input.link.busy(floatBytes(numbers)), input.link.latency.count()};
    };
    switch (op.kind) {
    case OpKind::Forward:
        return {atLeastOne(forward), 0};
    case OpKind::Backward:
        return {atLeastOne(2 * forward), 0};
    case OpKind::SendActivation:
        return message(sizes.output);
    case OpKind::SendGradient:
        return message(sizes.input);
    case OpKind::AllReduce:
        return {
            ringAllReduce(input.link, input.lowered.shape.replicas, floatBytes(sizes.parameters)),
            0};
    case OpKind::OptimizerStep:
        return {atLeastOne(static_cast<double>(sizes.parameters) * kFlopsPerUpdate
                           / kFlopsPerNanosecond),
                0};
    default:
        return {};
    }
}

} // namespace

std::int64_t ringAllReduce(const LinkCost& link, int devices, Bytes bytes)
{
    return std::int64_t{2} * (devices - 1) * (link.latency.count() + link.busy(bytes / devices));
}

OpCosts estimatedCosts(const EmulationCosts& input)
{
    OpCosts costs;
    for (const auto& program : input.lowered.program) {
        auto& own = costs.of.emplace_back();
        for (const Op& op : program)
            own.push_back(costOf(input, op));
    }
    return costs;
}

} // namespace engine

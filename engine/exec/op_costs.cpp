#include "engine/exec/op_costs.h"

#include "engine/base/try.h"
#include "engine/experiment/experiment_fields.h"
#include "engine/plan/execution_plan.h"
#include "engine/schedules/scheme.h"

#include <fmt/format.h>

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

// The slowest link between the devices that hold the stage or, for tied embeddings, the first or
// the last stage.
const LinkCost& allReduceLink(const EmulationCosts& input, const Op& op)
{
    const Mapping& mapping = input.links.mapping;
    if (mapping.isOneNode())
        return input.links.inNode;
    return input.links.of(tiesEmbeddings(op) ? mapping.tiedGroup().tier
                                             : mapping.group(op.stage).tier);
}

std::int64_t allReduceCost(const EmulationCosts& input, const Op& op, std::size_t parameters)
{
    const Shape& shape = input.lowered.shape;
    const LinkCost& link = allReduceLink(input, op);
    const int holders = shape.replicas * shape.dataParallel;
    if (!tiesEmbeddings(op))
        return ringAllReduce(link, holders, floatBytes(parameters));
    const std::size_t tied = input.model.tied()->count;
    return ringAllReduce(link, 2 * holders, floatBytes(tied))
        + ringAllReduce(link, holders, floatBytes(parameters - tied));
}

OpCosts::Cost costOf(const EmulationCosts& input, DeviceId device, const Op& op,
                     int unitsPerMicroBatch)
{
    const bool travels = op.peer != Op::kNoPeer && !input.links.mapping.isOneNode();
    const LinkCost& link = travels
        ? input.links.of(input.links.mapping.tier(device.value, op.peer))
        : input.links.of(usesHost(op) ? LinkTier::ToHost : LinkTier::InNode);
    const StageSizes sizes = input.model.sizes(op.stage);
    const int units = unitsOf(op, unitsPerMicroBatch).count;
    const auto message = [&](std::size_t numbers) {
        return OpCosts::Cost{link.busy(units * storedBytes(sizes, numbers)), link.latency.count()};
    };
    switch (op.kind) {
    case OpKind::SendActivation:
        return message(sizes.output);
    case OpKind::SendGradient:
        return message(sizes.input);
    case OpKind::Evict:
    case OpKind::Load:
        return {link.busy(units * storedBytes(sizes, sizes.stash)) + link.latency.count(), 0};
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
    const double step = static_cast<double>(link.latency.count())
        + static_cast<double>(link.busy(bytes / devices));
    return roundedTicks(2.0 * (devices - 1) * step);
}

Result<EmulatedLinks> emulatedLinks(const Experiment& experiment, const Schedule& lowered)
{
    EmulatedLinks links{experiment.link, experiment.link, experiment.linkToHost};
    links.usesHost = anyOp(lowered, usesHost);
    if (experiment.linkAcross.bytesPerSecond > 0)
        links.acrossNodes.bytesPerSecond = experiment.linkAcross.bytesPerSecond;
    if (experiment.linkAcross.latency.count() > 0)
        links.acrossNodes.latency = experiment.linkAcross.latency;
    links.mapping
        = TRY(Mapping::of(lowered, experiment.schedule.mapping, {experiment.devicesPerNode}));
    return links;
}

std::string describeLinks(const EmulatedLinks& links)
{
    const std::string host = links.usesHost ? "; to the host " + describeLink(links.toHost) : "";
    if (links.mapping.isOneNode())
        return describeLink(links.inNode) + host;
    // The placement of emulated ops has no network model (sim/network.h).
    return fmt::format("{} within a node, {} between {} nodes, {}, without contention{}",
                       describeLink(links.inNode), describeLink(links.acrossNodes),
                       links.mapping.nodes(), links.mapping.name(), host);
}

OpCosts estimatedCosts(const EmulationCosts& input)
{
    const int units = unitsPerMicroBatch(input.lowered);
    OpCosts costs;
    for (const DeviceId d : input.lowered.program.ids()) {
        auto& own = costs.of.emplace_back();
        for (const Op& op : input.lowered.program[d])
            own.push_back(costOf(input, d, op, units));
    }
    return costs;
}

} // namespace engine

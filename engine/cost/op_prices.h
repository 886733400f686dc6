#pragma once

#include "engine/cost/cost_model.h"

#include <array>

namespace engine {

// The price list behind costs in units and costs of a model: what an op costs follows from its
// kind, its stage, whether it is a slice, and, for what goes to another device, the class of the
// link. The simulator looks prices up where a schedule is too large to store one for each op.
class OpPrices
{
public:
    using Cost = OpCosts::Cost;
    enum class Part : std::uint8_t { Whole, Slice };
    enum class Link : std::uint8_t { InNode, AcrossNodes };

    explicit OpPrices(const Shape& shape);

    void set(OpKind kind, StageId stage, Part part, Link link, const Cost& cost)
    {
        m_costs[index(kind, stage, part, link)] = cost;
    }
    // Of an op of `device`; a SEND, EVICT or LOAD has its peer set.
    const Cost& of(const Op& op, DeviceId device) const
    {
        const Link link = op.peer == Op::kNoPeer ? Link::InNode : linkOf(device.value, op.peer);
        return m_costs[index(op.kind, op.stage, op.slice == Op::kWhole ? Part::Whole : Part::Slice,
                             link)];
    }
    bool isFree(OpKind kind) const;
    // No message, all-reduce, evict or load takes any time.
    bool isCommunicationFree() const;
    // Of all ops together; an upper bound where there are `ops` of them.
    double most(double ops) const;

    std::int64_t ticksPerUnit = 1; // 1: nanoseconds
    int devicesPerNode = 0;        // 0: one node holds all
    TimingRules rules;

private:
    std::size_t index(OpKind kind, StageId stage, Part part, Link link) const
    {
        return ((static_cast<std::size_t>(stage.value) * kOpKinds + static_cast<std::size_t>(kind))
                    * 2
                + static_cast<std::size_t>(part))
            * 2
            + static_cast<std::size_t>(link);
    }
    Link linkOf(int device, int peer) const
    {
        return devicesPerNode == 0 || device / devicesPerNode == peer / devicesPerNode
            ? Link::InNode
            : Link::AcrossNodes;
    }

    std::vector<Cost> m_costs; // [stage][kind][part][link]
};

// One unit is an integer number of ticks: the least common multiple of v, slices, 2 and the
// denominators. An error when that would overflow, or where a stage's own costs name no stage.
Result<OpPrices> unitPrices(const Shape& shape, const UnitCosts& costs);
// Looked up for every op. An error when their sum would overflow.
Result<OpCosts> resolved(const Schedule& lowered, const OpPrices& prices);

} // namespace engine

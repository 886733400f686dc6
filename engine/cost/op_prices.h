#pragma once

#include "engine/cost/cost_model.h"

namespace engine {

// Costs by kind, stage, slice and, for transfers, class of link. The simulator uses them directly
// if a schedule is too large for one stored cost per op.
class OpPrices
{
public:
    using Cost = OpCosts::Cost;
    enum class Part : std::uint8_t { Whole, Slice };
    enum class Link : std::uint8_t { InNode, AcrossNodes };

    template<class T>
    using Table = EnumArray<OpKind, EnumArray<Part, EnumArray<Link, T, 2>, 2>, kOpKinds>;

    explicit OpPrices(const Shape& shape);

    void set(OpKind kind, StageId stage, Part part, Link link, const Cost& cost)
    {
        m_costs[stage][kind][part][link] = cost;
    }
    // Cost of an op of `device`; a SEND, EVICT or LOAD must have its peer set.
    const Cost& of(const Op& op, DeviceId device) const
    {
        const Link link = op.peer == Op::kNoPeer ? Link::InNode : linkOf(device.value, op.peer);
        return m_costs[op.stage][op.kind][op.slice == Op::kWhole ? Part::Whole : Part::Slice][link];
    }
    bool isFree(OpKind kind) const;
    // Whether messages, all-reduces, evicts and loads take no time.
    bool isCommunicationFree() const;
    // An upper bound for the total cost of `ops` ops.
    double most(double ops) const;

    std::int64_t ticksPerUnit = 1; // 1: ticks are nanoseconds
    int devicesPerNode = 0;        // 0: all devices are in one node
    TimingRules rules;

private:
    Link linkOf(int device, int peer) const
    {
        return devicesPerNode == 0 || device / devicesPerNode == peer / devicesPerNode
            ? Link::InNode
            : Link::AcrossNodes;
    }

    IdVector<StageId, Table<Cost>> m_costs;
};

// Chooses the ticks per cost unit such that every cost is an integer number of ticks: the least
// common multiple of v, slices, 2 and the denominators. Fails on overflow, or if `costs` names a
// stage that does not exist.
Result<OpPrices> unitPrices(const Shape& shape, const UnitCosts& costs);
// Looks up the cost of every op. Fails if their sum would overflow.
Result<OpCosts> resolved(const Schedule& lowered, const OpPrices& prices);

} // namespace engine

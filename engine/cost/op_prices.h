#pragma once

#include "engine/cost/cost_model.h"
#include "engine/cost/mapping.h"

namespace engine {

// Costs by kind, stage, slice and, for transfers, class of link. The simulator looks costs up here
// if a schedule is too large to store a cost for each op.
class OpPrices
{
public:
    using Cost = OpCosts::Cost;
    enum class Part : std::uint8_t { Whole, Slice };
    using Link = LinkTier;

    template<class T>
    using Table = EnumArray<OpKind, EnumArray<Part, EnumArray<Link, T, kLinkTiers>, 2>, kOpKinds>;

    explicit OpPrices(const Shape& shape);

    void set(OpKind kind, StageId stage, Part part, Link link, const Cost& cost)
    {
        m_costs[stage][kind][part][link] = cost;
    }
    // The cost of a stage's all-reduce with tied embeddings; unset: that of other all-reduces.
    void setTied(StageId stage, const Cost& cost)
    {
        m_tied.resize(m_costs.size());
        m_tied[stage] = cost;
    }
    void halve(OpKind kind);
    // Cost of an op of `device`; a SEND, EVICT or LOAD must have its peer set, or it uses the
    // host.
    const Cost& of(const Op& op, DeviceId device) const
    {
        if (op.kind == OpKind::AllReduce && tiesEmbeddings(op) && !m_tied.empty())
            return m_tied[op.stage];
        const Link link = op.peer != Op::kNoPeer ? mapping.tier(device.value, op.peer)
            : usesHost(op)                       ? Link::ToHost
                                                 : Link::InNode;
        return m_costs[op.stage][op.kind][op.slice == Op::kWhole ? Part::Whole : Part::Slice][link];
    }
    bool isFree(OpKind kind) const;
    // Whether messages, all-reduces, evicts and loads take no time.
    bool isCommunicationFree() const;
    // An upper bound for the total cost of `ops` ops.
    double most(double ops) const;

    std::int64_t ticksPerUnit = 1; // 1: nanoseconds
    Mapping mapping;
    std::shared_ptr<const SharedLinks> links; // null: transfers do not slow one another down
    TimingRules rules;

private:
    IdVector<StageId, Table<Cost>> m_costs;
    IdVector<StageId, Cost> m_tied; // only of the first and the last stage
};

// Makes one cost unit an integer number of ticks: the least common multiple of v, slices, 2 and the
// denominators. Fails on overflow, or if `costs` names a stage that does not exist. The nodes of
// `mapping` must have UnitCosts::devicesPerNode devices.
Result<OpPrices> unitPrices(const Shape& shape, const UnitCosts& costs, Mapping mapping = {});
// The same with the default mapping.
Result<OpPrices> unitPrices(const Schedule& schedule, const UnitCosts& costs);
// Resolves the cost of every op. Fails if their sum could overflow under the rules.
Result<OpCosts> resolved(const Schedule& lowered, const OpPrices& prices);

} // namespace engine

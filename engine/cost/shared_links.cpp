#include "engine/cost/shared_links.h"

#include <algorithm>
#include <map>

namespace engine {
namespace {

enum class LinkKind : std::uint8_t { Port, IslandPort, Nic, Node, Uplink };
enum class Direction : std::uint8_t { Out, In };

std::uint64_t linkId(LinkKind kind, Direction direction, int number)
{
    constexpr int kKindBits = 40, kDirectionBits = 32;
    return (static_cast<std::uint64_t>(kind) << kKindBits)
        + (static_cast<std::uint64_t>(direction) << kDirectionBits)
        + static_cast<std::uint64_t>(number);
}

LinkKind kindOf(std::uint64_t link)
{
    return static_cast<LinkKind>(link >> 40);
}

// Collects the links that a transfer uses, and adds up the shares on each link.
class Uses
{
public:
    Uses(const Mapping& mapping, const LinkSharing& sharing)
        : m_mapping(mapping)
        , m_sharing(sharing)
    { }

    void add(LinkTier tier, Direction direction, int slot, double share)
    {
        if (tier == LinkTier::AcrossNodes)
            return addNetwork(direction, slot, share);
        if (tier == LinkTier::InIsland) {
            m_shares[linkId(LinkKind::IslandPort, direction, slot)] += share;
            return;
        }
        m_shares[linkId(LinkKind::Port, direction, slot)] += share;
        if (m_sharing.nodeOversubscription > 1)
            m_shares[linkId(LinkKind::Node, direction, nodeOf(slot))]
                += share * m_sharing.gpusPerSlot;
    }
    // Adds an all-reduce among the slots.
    void addSum(const std::vector<int>& slots, const StageGroup& group)
    {
        const bool leaves = group.tier == LinkTier::AcrossNodes;
        const double inNode = 2.0 * (group.most - 1) / group.most;
        const double across
            = 2.0 * (group.nodes - 1) / group.nodes / group.fewest / m_sharing.networkToNode;
        const double share = leaves && m_sharing.hierarchical ? across / (across + inNode) : 1;
        // Only the first and the last kEach slots count; see Mapping::decisiveCopies().
        constexpr std::size_t kEach = 256;
        for (std::size_t i = 0; i < slots.size() && slots.size() > 1; ++i) {
            if (i >= kEach && i + kEach < slots.size())
                continue;
            const int next = slots[(i + 1) % slots.size()]; // next slot in the ring
            const bool crosses = m_mapping.tierOfSlots(slots[i], next) == LinkTier::AcrossNodes;
            if (leaves && !m_sharing.hierarchical && !crosses)
                continue;
            const int target = leaves && m_sharing.hierarchical ? slots[i] : next;
            add(group.tier, Direction::Out, slots[i], share);
            add(group.tier, Direction::In, target, share);
        }
    }
    void raiseTo(const Uses& other)
    {
        for (const auto& [link, share] : other.m_shares)
            m_shares[link] = std::max(m_shares[link], share);
    }
    std::vector<SharedLinks::Use> all() const
    {
        std::vector<SharedLinks::Use> uses;
        for (const auto& [link, share] : m_shares)
            uses.push_back({link, share});
        return uses;
    }

private:
    int nodeOf(int slot) const { return slot / m_mapping.shape().slots; }
    // Every GPU of the slot sends its part through its own NIC.
    void addNetwork(Direction direction, int slot, double share)
    {
        const int gpus = m_sharing.gpusPerNode;
        const int nics = m_sharing.nics > 0 ? m_sharing.nics : gpus;
        const int first = slot % m_mapping.shape().slots * m_sharing.gpusPerSlot;
        const int end = std::min(first + m_sharing.gpusPerSlot, gpus);
        for (int gpu = first; gpu < end; ++gpu) {
            const int nic = static_cast<int>(std::int64_t{gpu} * nics / gpus);
            m_shares[linkId(LinkKind::Nic, direction, nodeOf(slot) * nics + nic)] += share;
        }
        if (m_sharing.networkOversubscription > 1)
            m_shares[linkId(LinkKind::Uplink, direction, nodeOf(slot))]
                += share * m_sharing.gpusPerSlot;
    }

    const Mapping& m_mapping;
    const LinkSharing& m_sharing;
    std::map<std::uint64_t, double> m_shares;
};

} // namespace

SharedLinks::SharedLinks(Mapping mapping, const LinkSharing& sharing)
    : m_mapping(std::move(mapping))
    , m_sharing(sharing)
{ }

std::vector<SharedLinks::Use> SharedLinks::ofTransfer(DeviceId from, DeviceId to) const
{
    Uses uses(m_mapping, m_sharing);
    const LinkTier tier = m_mapping.tier(from.value, to.value);
    for (const int w : m_mapping.decisiveCopies()) {
        const int source = m_mapping.slot(from, w), target = m_mapping.slot(to, w);
        if (m_mapping.tierOfSlots(source, target) != tier) // this copy is not the slowest
            continue;
        uses.add(tier, Direction::Out, source, 1);
        uses.add(tier, Direction::In, target, 1);
    }
    return uses.all();
}

std::vector<SharedLinks::Use> SharedLinks::ofAllReduce(StageId stage) const
{
    Uses uses(m_mapping, m_sharing);
    uses.addSum(m_mapping.holders(stage), m_mapping.group(stage));
    return uses.all();
}

std::vector<SharedLinks::Use> SharedLinks::ofTiedAllReduce() const
{
    const StageId first{0}, last{m_mapping.stages() - 1};
    Uses uses(m_mapping, m_sharing), rest(m_mapping, m_sharing);
    uses.addSum(m_mapping.tiedHolders(), m_mapping.tiedGroup());
    for (const StageId stage : {first, last})
        rest.addSum(m_mapping.holders(stage), m_mapping.group(stage));
    uses.raiseTo(rest);
    return uses.all();
}

double SharedLinks::capacity(std::uint64_t link) const
{
    switch (kindOf(link)) {
    case LinkKind::Node:
        return m_sharing.gpusPerNode / m_sharing.nodeOversubscription;
    case LinkKind::Uplink:
        return (m_sharing.nics > 0 ? m_sharing.nics : m_sharing.gpusPerNode)
            / m_sharing.networkOversubscription;
    default:
        return 1;
    }
}

} // namespace engine

#include "engine/cost/mapping.h"

#include "engine/base/read_file.h"
#include "engine/base/text.h"
#include "engine/base/try.h"
#include "engine/cost/spec_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>

namespace engine {
namespace {

constexpr std::string_view kKey = "copies";

struct Slot
{
    int node = 0, slot = 0;
};

std::optional<Slot> parseSlot(std::string_view text)
{
    const auto colon = text.find(':');
    if (colon == std::string_view::npos)
        return std::nullopt;
    const auto node = parseInteger<int>(text.substr(0, colon));
    const auto slot = parseInteger<int>(text.substr(colon + 1));
    if (!node || !slot || *node < 0 || *slot < 0)
        return std::nullopt;
    return Slot{*node, *slot};
}

class MappingReader
{
public:
    MappingReader(std::string_view file, const Shape& shape, const NodeShape& nodes)
        : m_file(file)
        , m_shape(shape)
        , m_nodes(nodes)
    { }

    Result<std::vector<int>> read(const toml::table& table)
    {
        for (const auto& [key, node] : table)
            if (key != kKey)
                return corrupt(
                    fmt::format("unknown key '{}'; only {} is known", excerpt(key.str()), kKey));
        const toml::array* copies = table[kKey].as_array();
        if (copies == nullptr)
            return corrupt("no list of copies; write copies = [[\"NODE:SLOT\", ...], ...]");
        if (static_cast<int>(copies->size()) != m_shape.dataParallel)
            return corrupt(fmt::format("{} copies, but --data-parallel is {}; write one list per "
                                       "copy",
                                       copies->size(), m_shape.dataParallel));
        for (int w = 0; w < m_shape.dataParallel; ++w)
            TRY(addCopy(w, copies->get(w)->as_array()));
        return std::move(m_slots);
    }

private:
    tl::unexpected<Error> corrupt(const std::string& message) const
    {
        return fail(Error::Code::Corrupt, "{}: {}", m_file, message);
    }
    Result<void> addCopy(int copy, const toml::array* devices)
    {
        const int given = devices == nullptr ? 0 : static_cast<int>(devices->size());
        if (given != m_shape.devices)
            return corrupt(given < m_shape.devices
                               ? fmt::format("copy {}: device {} is missing; the schedule has {} "
                                             "devices",
                                             copy, given, m_shape.devices)
                               : fmt::format("copy {}: {} devices, but the schedule has {}", copy,
                                             given, m_shape.devices));
        for (int d = 0; d < given; ++d)
            TRY(add(copy, d, devices->get(d)->value_or(std::string_view())));
        return {};
    }
    Result<void> add(int copy, int device, std::string_view text)
    {
        const auto slot = parseSlot(text);
        const std::string where = fmt::format("copy {}, device {}", copy, device);
        if (!slot)
            return corrupt(
                fmt::format("{}: '{}' is not NODE:SLOT, as in \"0:3\"", where, excerpt(text)));
        if (slot->slot >= m_nodes.slots)
            return corrupt(fmt::format("{}: '{}': a node has {} slots, 0 to {}", where,
                                       excerpt(text), m_nodes.slots, m_nodes.slots - 1));
        if (m_nodes.nodes > 0 && slot->node >= m_nodes.nodes)
            return corrupt(fmt::format("{}: '{}': there are {} nodes, 0 to {}", where,
                                       excerpt(text), m_nodes.nodes, m_nodes.nodes - 1));
        const std::int64_t number = std::int64_t{slot->node} * m_nodes.slots + slot->slot;
        if (number >= kMostSlots)
            return corrupt(fmt::format("{}: '{}': nodes of {} slots have at most {} slots in all; "
                                       "use a node below {}",
                                       where, excerpt(text), m_nodes.slots, kMostSlots,
                                       kMostSlots / m_nodes.slots));
        const auto [other, isFree] = m_used.emplace(std::pair(slot->node, slot->slot), where);
        if (!isFree)
            return corrupt(fmt::format("{} has the slot {} of {}; give each device its own", where,
                                       excerpt(text), other->second));
        m_slots.push_back(static_cast<int>(number));
        return {};
    }

    std::string_view m_file;
    const Shape& m_shape;
    const NodeShape& m_nodes;
    std::vector<int> m_slots;
    std::map<std::pair<int, int>, std::string> m_used;
};

} // namespace

Result<std::vector<int>> readMappingFile(std::string_view file, const Shape& shape,
                                         const NodeShape& nodes)
{
    const auto text = TRY(readFile(std::string(file)));
    const auto table = TRY(parseToml(text, file));
    return MappingReader(file, shape, nodes).read(table);
}

namespace {

// Devices that hold the same stage get adjacent numbers.
std::vector<int> byStages(const Schedule& schedule)
{
    // [device] The first device that holds a stage of this device.
    std::vector<int> first(schedule.shape.devices);
    std::iota(first.begin(), first.end(), 0);
    for (const auto& deviceOf : schedule.deviceOf)
        for (const StageId stage : deviceOf.ids()) {
            const DeviceId a = schedule.deviceOf.front()[stage], b = deviceOf[stage];
            if (a.isValid() && b.isValid())
                first[std::max(a, b).value] = std::min(first[a.value], first[b.value]);
        }
    std::vector<int> order(first.size()), position(first.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](int device) { return first[device]; });
    for (std::size_t i = 0; i < order.size(); ++i)
        position[order[i]] = static_cast<int>(i);
    return position;
}

std::vector<int> byPairs(int devices)
{
    std::vector<int> position(devices);
    for (int d = 0; d < devices; ++d)
        position[d] = d < devices - 1 - d ? 2 * d : 2 * (devices - 1 - d) + (2 * d >= devices);
    return position;
}

std::vector<int> slotsOf(const Schedule& schedule, std::string_view name)
{
    const int devices = schedule.shape.devices, copies = schedule.shape.dataParallel;
    std::vector<int> position(devices);
    std::iota(position.begin(), position.end(), 0);
    const bool together = name == kMappingNames[1];
    if (together)
        position = byStages(schedule);
    else if (name == kMappingNames[2])
        position = byPairs(devices);
    std::vector<int> slots;
    slots.reserve(static_cast<std::size_t>(devices) * copies);
    for (int w = 0; w < copies; ++w)
        for (const int i : position)
            slots.push_back(together ? i * copies + w : w * devices + i);
    return slots;
}

Result<void> checkSize(const Shape& shape, const NodeShape& nodes)
{
    const std::int64_t needed = std::int64_t{shape.devices} * shape.dataParallel;
    if (needed > kMostSlots)
        return invalid("{} copies of {} devices need {} slots; use at most {}", shape.dataParallel,
                       shape.devices, needed, kMostSlots);
    if (nodes.nodes > 0 && needed > std::int64_t{nodes.nodes} * nodes.slots)
        return invalid("{} copies of {} devices need {} slots, but there are only {} x {} "
                       "(nodes x slots per node); use "
                       "fewer copies or devices, or more nodes",
                       shape.dataParallel, shape.devices, needed, nodes.nodes, nodes.slots);
    return {};
}

} // namespace

Result<void> checkMappingName(std::string_view text)
{
    if (std::ranges::find(kMappingNames, text) != kMappingNames.end() || text.ends_with(".toml"))
        return {};
    return invalid("--mapping {}: use {}, or a .toml file", excerpt(text), joined(kMappingNames));
}

std::string describe(const Mapping& mapping)
{
    // All mappings of one node without islands are alike.
    if (mapping.isOneNode() || (mapping.nodes() == 1 && mapping.shape().islandSlots == 0))
        return "one node";
    const int slots = mapping.shape().slots;
    return fmt::format("{} on {} node{}, {} slot{} per node", mapping.name(), mapping.nodes(),
                       mapping.nodes() == 1 ? "" : "s", slots, slots == 1 ? "" : "s");
}

namespace {

std::vector<int> decisive(int copies, int slotsPerNode)
{
    constexpr int kEach = 128; // copies at either end
    std::vector<int> all;
    for (int w = 0; w < copies; ++w)
        if (slotsPerNode > kEach || w < kEach || w >= copies - kEach)
            all.push_back(w);
    return all;
}

} // namespace

Mapping::Mapping(std::string_view name, const Schedule& schedule, const NodeShape& nodes,
                 std::vector<int> slots)
    : m_name(name)
    , m_nodes(nodes)
    , m_devices(schedule.shape.devices)
    , m_copies(schedule.shape.dataParallel)
    , m_slots(std::move(slots))
    , m_decisive(decisive(m_copies, nodes.slots))
    , m_holders(schedule.shape.stages)
{
    for (const StageId stage : m_holders.ids()) {
        auto& holders = m_holders[stage];
        for (const auto& deviceOf : schedule.deviceOf)
            for (int w = 0; w < m_copies && deviceOf[stage].isValid(); ++w)
                holders.push_back(slot(deviceOf[stage], w));
        std::ranges::sort(holders);
        holders.erase(std::unique(holders.begin(), holders.end()), holders.end());
    }
}

Result<Mapping> Mapping::of(const Schedule& schedule, std::string_view nameOrFile,
                            const NodeShape& nodes)
{
    TRY(checkMappingName(nameOrFile));
    if (nodes.slots == 0)
        return Mapping();
    TRY(checkSize(schedule.shape, nodes));
    if (!nameOrFile.ends_with(".toml"))
        return Mapping(nameOrFile, schedule, nodes, slotsOf(schedule, nameOrFile));
    auto slots = TRY(readMappingFile(nameOrFile, schedule.shape, nodes));
    return Mapping(nameOrFile, schedule, nodes, std::move(slots));
}

int Mapping::nodes() const
{
    return m_slots.empty() ? 1 : std::ranges::max(m_slots) / m_nodes.slots + 1;
}

LinkTier Mapping::tierOfSlots(int a, int b) const
{
    if (a / m_nodes.slots != b / m_nodes.slots)
        return LinkTier::AcrossNodes;
    const int island = m_nodes.islandSlots;
    return island > 0 && a % m_nodes.slots / island == b % m_nodes.slots / island
        ? LinkTier::InIsland
        : LinkTier::InNode;
}

LinkTier Mapping::slowestTier(int device, int peer) const
{
    LinkTier slowest = LinkTier::InIsland;
    for (const int w : m_decisive)
        slowest
            = std::max(slowest, tierOfSlots(slot(DeviceId{device}, w), slot(DeviceId{peer}, w)));
    return slowest;
}

StageGroup Mapping::group(StageId stage) const
{
    return groupOf(holders(stage));
}

std::vector<int> Mapping::tiedHolders() const
{
    std::vector<int> slots;
    std::ranges::set_union(m_holders.front(), m_holders.back(), std::back_inserter(slots));
    return slots;
}

StageGroup Mapping::tiedGroup() const
{
    return groupOf(tiedHolders());
}

StageGroup Mapping::groupOf(std::span<const int> slots) const
{
    StageGroup group;
    std::map<int, int> ranks; // [node]
    for (const int slot : slots)
        ++ranks[slot / m_nodes.slots];
    if (ranks.empty())
        return group;
    group.ranks = static_cast<int>(slots.size());
    group.nodes = static_cast<int>(ranks.size());
    const auto [fewest, most]
        = std::ranges::minmax_element(ranks, {}, [](const auto& each) { return each.second; });
    group.fewest = fewest->second;
    group.most = most->second;
    group.tier = tierOfSlots(slots.front(), slots.back());
    return group;
}

} // namespace engine

#include "engine/cost/mapping_file.h"

#include "engine/base/read_file.h"
#include "engine/base/text.h"
#include "engine/base/try.h"
#include "engine/cost/spec_file.h"

#include <map>
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
        return fail(Error::Code::Corrupt, fmt::format("{}: {}", m_file, message));
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

} // namespace engine

#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

// The classes of links: between two slots, the fastest first, and of a slot to the memory of its
// host. An island is a part of a node with faster links (NVLink bridges on a PCIe machine).
enum class LinkTier : std::uint8_t { InIsland, InNode, AcrossNodes, ToHost };
constexpr int kLinkTiers = 4;

// The nodes of a machine. A slot is a GPU or, with tensor parallelism, the t GPUs of one device.
struct NodeShape
{
    int slots = 0;       // per node; 0: one node of any size
    int nodes = 0;       // 0: as many as needed
    int islandSlots = 0; // per island; 0: no islands

    friend bool operator==(const NodeShape&, const NodeShape&) = default;
};

constexpr std::int64_t kMostSlots = 1 << 20; // slots of all nodes together

// The ranks of the all-reduce of a stage: the devices of all data-parallel copies that hold the
// stage.
struct StageGroup
{
    int ranks = 1, nodes = 1;
    int most = 1, fewest = 1; // ranks in the fullest and in the emptiest of these nodes
    LinkTier tier = LinkTier::InNode;
};

// The slot of every device of every data-parallel copy. Slot s is in node s / slots. The first
// three mappings below give the slot of device d (of D) in copy w (of W) by a formula; the fourth
// is a file.
//
//   replicas-together  i W + w, where i numbers the devices so that those with the same stages (d
//                      and D-1-d of two directions) are neighbours. All-reduces stay in a node and
//                      messages cross nodes, as in Megatron-LM's order of ranks (tensor, data,
//                      pipeline) and in BitPipe. BitPipe's code orders the pairs differently (0,
//                      D-1, 2, D-3, ..), which is the same if a node holds one pair.
//   contiguous         w D + d: copy after copy, devices in sequence.
//   pair-adjacent      w D + i, where i orders the devices 0, D-1, 1, D-2, ..: the partners that
//                      exchange stashes are neighbours, as in BPipe.
//   FILE.toml          copies = [["NODE:SLOT", ...], ...], one list per copy, one entry per device.
class Mapping
{
public:
    Mapping() = default; // all devices in one node

    // Fails if the devices do not fit in the nodes or the file is not a mapping of this schedule,
    // and with Error::Code::NotFound if the file does not exist.
    static Result<Mapping> of(const Schedule& schedule, std::string_view nameOrFile,
                              const NodeShape& nodes);

    bool isOneNode() const { return m_slots.empty(); }
    // The copies that determine tier() and shared links: all copies or, if there are very many, the
    // first and the last ones. The copies in between are placed in the same way.
    const std::vector<int>& decisiveCopies() const { return m_decisive; }
    int nodes() const; // number of nodes in use
    int stages() const { return static_cast<int>(m_holders.size()); }
    int slot(DeviceId device, int copy) const { return m_slots[copy * m_devices + device.value]; }
    int node(DeviceId device, int copy) const { return slot(device, copy) / m_nodes.slots; }
    const NodeShape& shape() const { return m_nodes; }
    const std::string& name() const { return m_name; } // "replicas-together", or the file

    // The slowest tier between the two devices, over all copies.
    LinkTier tier(int device, int peer) const
    {
        return isOneNode() ? LinkTier::InNode : slowestTier(device, peer);
    }
    LinkTier tierOfSlots(int a, int b) const;
    // The slots of the devices that hold the stage, sorted. Empty if all devices are in one node.
    const std::vector<int>& holders(StageId stage) const { return m_holders[stage]; }
    StageGroup group(StageId stage) const;
    // The slots of the devices that hold the first or the last stage, sorted. They sum the gradient
    // of tied embeddings.
    std::vector<int> tiedHolders() const;
    StageGroup tiedGroup() const;

private:
    Mapping(std::string_view name, const Schedule& schedule, const NodeShape& nodes,
            std::vector<int> slots);
    LinkTier slowestTier(int device, int peer) const;
    StageGroup groupOf(std::span<const int> slots) const; // `slots` is sorted

    std::string m_name;
    NodeShape m_nodes;
    int m_devices = 0, m_copies = 1;
    std::vector<int> m_slots; // [copy x D + device]
    std::vector<int> m_decisive;
    IdVector<StageId, std::vector<int>> m_holders;
};

// "contiguous on 4 nodes, 8 slots per node", "one node"
std::string describe(const Mapping& mapping);

inline constexpr std::array<std::string_view, 3> kMappingNames{"contiguous", "replicas-together",
                                                               "pair-adjacent"};
// Fails if the text is neither one of kMappingNames nor the name of a .toml file.
Result<void> checkMappingName(std::string_view text);

// Reads the slots of a mapping from a TOML file. The result is indexed by copy x D + device. The
// file must assign a different slot to every device of the shape.
Result<std::vector<int>> readMappingFile(std::string_view file, const Shape& shape,
                                         const NodeShape& nodes);

} // namespace engine

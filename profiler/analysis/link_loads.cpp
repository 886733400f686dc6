#include "profiler/analysis/link_loads.h"

#include "engine/base/try.h"
#include "engine/schedule/transfers.h"
#include "profiler/analysis/lanes.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

namespace profiler {

using namespace engine;

namespace {
// The transfers of one LinkFlow in one data-parallel copy of the pipeline.
struct Transfers
{
    LinkFlow flow;
    std::vector<Window> windows;
    int count = 0;
    double bytes = 0;       // bytes of one transfer
    bool isTied = false;    // an all-reduce of tied embeddings
    bool isCounted = false; // its time is a part of that of another all-reduce
};

bool isAllReduce(const LinkFlow& flow)
{
    return flow.kind == OpKind::AllReduce;
}

std::int64_t exposedOn(const Lanes& lanes, DeviceId device, const std::vector<Window>& windows)
{
    return length(subtract(clip(unite(windows), lanes.window()), lanes.compute(device)));
}

// All transfers of one data-parallel copy of the pipeline in an iteration.
class Traffic
{
public:
    Traffic(const Run& run, const Lanes& lanes, const TransferBytes& bytes)
        : m_run(run)
        , m_lanes(lanes)
        , m_bytes(bytes)
        , m_index(run.schedule)
    {
        for (const DeviceId d : Ids<DeviceId>(run.schedule.shape.devices))
            for (const auto kind : {Track::Kind::Send, Track::Kind::Copy, Track::Kind::AllReduce})
                for (const Span& span : lanes.spans(d, kind))
                    add(d, span);
    }

    std::vector<Transfers> flows() const
    {
        std::vector<Transfers> all;
        for (const auto& [key, transfers] : m_flows)
            all.push_back(finished(transfers));
        return all;
    }
    // The all-reduces of each stage; `count` is 0 for a stage without all-reduces.
    IdVector<StageId, Transfers> allReduces() const
    {
        IdVector<StageId, Transfers> all(m_run.schedule.shape.stages);
        for (const auto& [key, transfers] : m_sums) {
            Transfers& stage = all[key.first];
            const Transfers one = finished(transfers);
            const std::int64_t exposed = std::max(stage.flow.exposed, one.flow.exposed);
            if (one.count > stage.count)
                stage = one;
            stage.flow.exposed = exposed;
            stage.windows.insert(stage.windows.end(), one.windows.begin(), one.windows.end());
        }
        return all;
    }

private:
    using Key = std::tuple<OpKind, StageId, int, DeviceId, DeviceId>;

    void add(DeviceId device, const Span& span)
    {
        const Op& op = m_run.schedule.program[device][m_index.positionOf(span.op)];
        if (op.kind == OpKind::AllReduce)
            return addTo(m_sums[{op.stage, device}], op, {device, device}, span.window());
        if (usesHost(op) || isSharding(op.kind))
            return; // no link between the devices of this copy
        const DeviceId peer{op.peer};
        const bool comes = op.kind == OpKind::Load;
        const DeviceId from = comes ? peer : device, to = comes ? device : peer;
        addTo(m_flows[Key{op.kind, op.stage, op.replica, from, to}], op, {from, to}, span.window());
    }
    void addTo(Transfers& transfers, const Op& op, std::pair<DeviceId, DeviceId> ends,
               Window window) const
    {
        transfers.flow.kind = op.kind;
        transfers.flow.stage = op.stage;
        transfers.flow.replica = op.replica;
        std::tie(transfers.flow.from, transfers.flow.to) = ends;
        transfers.bytes = bytesOf(op);
        transfers.isTied = tiesEmbeddings(op);
        transfers.windows.push_back(window);
        ++transfers.count;
    }
    double bytesOf(const Op& op) const
    {
        if (op.kind == OpKind::AllReduce)
            return m_bytes.allReduced[op.stage];
        const double whole = isCopy(op.kind) ? m_bytes.stash[op.stage] : m_bytes.message;
        return op.slice == Op::kWhole ? whole : whole / m_run.schedule.shape.slices;
    }
    // Computes the mean duration and the exposed time. The exposed time is measured on the device
    // that waits for the transfers: for an EVICT the source, which needs the memory of the stash,
    // otherwise the receiver.
    Transfers finished(Transfers transfers) const
    {
        LinkFlow& flow = transfers.flow;
        std::int64_t sum = 0;
        for (const Window w : transfers.windows)
            sum += w.duration();
        flow.time = sum / std::max(1, transfers.count);
        flow.exposed = exposedOn(m_lanes, flow.kind == OpKind::Evict ? flow.from : flow.to,
                                 transfers.windows);
        return transfers;
    }

    const Run& m_run;
    const Lanes& m_lanes;
    const TransferBytes& m_bytes;
    OpIndex m_index;
    std::map<Key, Transfers> m_flows;
    std::map<std::pair<StageId, DeviceId>, Transfers> m_sums;
};

// Places the traffic on the links of a machine.
class Placement
{
public:
    Placement(const Mapping& mapping, const Schedule& schedule, const TransferBytes& bytes)
        : m_mapping(mapping)
        , m_schedule(schedule)
        , m_shape(schedule.shape)
        , m_bytes(bytes)
    { }

    void addFlow(const Transfers& transfers)
    {
        for (int w = 0; w < m_shape.dataParallel; ++w) {
            const int from = slot(transfers.flow.from, w), to = slot(transfers.flow.to, w);
            addBytes(from, to, transfers, transfers.bytes * transfers.count, transfers.count);
        }
    }

    void addAllReduce(const Transfers& sum)
    {
        const StageId stage = sum.flow.stage;
        const bool isOneNode = m_mapping.isOneNode();
        const StageGroup group = isOneNode ? StageGroup{} : m_mapping.group(stage);
        if (!sum.isTied)
            return addSum(sum, holders(stage), group);
        // The first and the last stage execute one all-reduce of their tied embeddings.
        Transfers tied = sum, rest = sum;
        tied.bytes = m_bytes.tied;
        rest.bytes -= m_bytes.tied;
        rest.isCounted = true;
        std::vector<int> both;
        std::ranges::set_union(holders(StageId{0}), holders(StageId{m_shape.stages - 1}),
                               std::back_inserter(both));
        if (stage.value == 0)
            addSum(tied, both, isOneNode ? StageGroup{} : m_mapping.tiedGroup());
        addSum(rest, holders(stage), group);
    }

    LinkLoads finish()
    {
        for (auto& [nodes, link] : m_links) {
            std::ranges::stable_sort(link.flows, {}, [](const LinkFlow& flow) {
                return std::tuple(isAllReduce(flow), isCopy(flow.kind));
            });
            link.busy = length(unite(std::move(m_windows[nodes])));
            m_loads.links.push_back(std::move(link));
        }
        for (const auto& [ends, load] : m_slots)
            m_loads.slots.push_back(load);
        return std::move(m_loads);
    }

private:
    using Pair = std::pair<int, int>;

    int slot(DeviceId device, int copy) const
    {
        return m_mapping.isOneNode() ? copy * m_shape.devices + device.value
                                     : m_mapping.slot(device, copy);
    }
    int node(int slot) const { return m_mapping.isOneNode() ? 0 : slot / m_mapping.shape().slots; }
    std::vector<int> holders(StageId stage) const
    {
        if (!m_mapping.isOneNode())
            return m_mapping.holders(stage);
        std::vector<int> slots;
        for (int w = 0; w < m_shape.dataParallel; ++w)
            for (const auto& deviceOf : m_schedule.deviceOf)
                slots.push_back(slot(deviceOf[stage], w));
        std::ranges::sort(slots);
        return slots;
    }

    template<class Load>
    static void count(Load& load, OpKind kind, double bytes)
    {
        (kind == OpKind::AllReduce ? load.allReduces
             : isCopy(kind)        ? load.copies
                                   : load.messages)
            += bytes;
    }
    void addBytes(int from, int to, const Transfers& transfers, double bytes, int number)
    {
        const Pair nodes{node(from), node(to)};
        LinkLoad& link = m_links[nodes];
        std::tie(link.from, link.to) = nodes;
        const LinkFlow& flow = transfers.flow;
        auto found = std::ranges::find_if(link.flows, [&](const LinkFlow& known) {
            return std::tie(known.kind, known.stage, known.replica, known.from, known.to)
                == std::tie(flow.kind, flow.stage, flow.replica, flow.from, flow.to);
        });
        if (found == link.flows.end()) {
            found = link.flows.insert(link.flows.end(), flow);
            auto& windows = m_windows[nodes];
            windows.insert(windows.end(), transfers.windows.begin(), transfers.windows.end());
        }
        found->transfers += number;
        found->bytes += bytes;
        count(link, flow.kind, bytes);
        if (from == to || nodes.first != nodes.second)
            return;
        SlotLoad& load = m_slots[{from, to}];
        std::tie(load.from, load.to) = Pair(from, to);
        count(load, flow.kind, bytes);
    }

    // Adds an all-reduce among the slots.
    void addSum(const Transfers& sum, const std::vector<int>& slots, const StageGroup& group)
    {
        const double ranks = slots.size();
        if (slots.size() < 2)
            return;
        Transfers flow = sum;
        flow.flow.from = flow.flow.to = {};
        double perMember = 2 * (ranks - 1) / ranks * sum.bytes * sum.count;
        if (m_bytes.isHierarchical && group.nodes > 1)
            perMember = addPhases(flow, slots, group);
        else
            for (std::size_t i = 0; i < slots.size(); ++i)
                addBytes(slots[i], slots[(i + 1) % slots.size()], flow, perMember, sum.count);
        addLoad(flow, slots, perMember);
    }

    // Adds the phases of a hierarchical all-reduce (hierarchicalAllReduce()): a reduce-scatter and
    // an all-gather in every node, and rings between the nodes. Returns the largest number of bytes
    // that one member sends.
    double addPhases(const Transfers& sum, const std::vector<int>& slots, const StageGroup& group)
    {
        std::map<int, std::vector<int>> byNode;
        for (const int slot : slots)
            byNode[node(slot)].push_back(slot);
        const double all = sum.bytes * sum.count;
        const double between = 2.0 * (group.nodes - 1) / group.nodes * all;
        double most = 0;
        for (auto here = byNode.begin(); here != byNode.end(); ++here) {
            const auto& members = here->second;
            const double ranks = members.size();
            const double inside = 2 * (ranks - 1) / ranks * all;
            for (std::size_t i = 0; i < members.size() && members.size() > 1; ++i)
                addBytes(members[i], members[(i + 1) % members.size()], sum, inside, sum.count);
            const auto next = std::next(here) == byNode.end() ? byNode.begin() : std::next(here);
            addBytes(members.front(), next->second.front(), sum, between, sum.count);
            most = std::max(most, inside + between / group.fewest);
        }
        return most;
    }

    void addLoad(const Transfers& flow, const std::vector<int>& slots, double perMember)
    {
        std::vector<int> nodes;
        for (const int slot : slots)
            if (nodes.empty() || nodes.back() != node(slot))
                nodes.push_back(node(slot));
        const int ranks = static_cast<int>(slots.size());
        auto& all = m_loads.allReduces;
        auto found = std::ranges::find_if(all, [&](const AllReduceLoad& load) {
            return load.nodes == nodes && load.ranks == ranks;
        });
        if (found == all.end())
            found = all.insert(all.end(), AllReduceLoad{{}, nodes, ranks, 0, 0, 0});
        found->stages.push_back(flow.flow.stage);
        found->bytes += perMember;
        found->time += flow.isCounted ? 0 : flow.flow.time * flow.count;
        found->exposed += flow.isCounted ? 0 : flow.flow.exposed;
    }

    const Mapping& m_mapping;
    const Schedule& m_schedule;
    const Shape& m_shape;
    const TransferBytes& m_bytes;
    LinkLoads m_loads;
    std::map<Pair, LinkLoad> m_links;
    std::map<Pair, std::vector<Window>> m_windows;
    std::map<Pair, SlotLoad> m_slots;
};

Windows windowsOf(const Lanes& lanes, DeviceId device, std::initializer_list<Track::Kind> kinds)
{
    std::vector<Window> windows;
    for (const auto kind : kinds)
        for (const Span& span : lanes.spans(device, kind))
            windows.push_back(span.window());
    return clip(unite(std::move(windows)), lanes.window());
}
} // namespace

TransferBytes transferBytes(const ModelOnHardware& on, int stages)
{
    const double gpus = on.setup.tensorParallel;
    TransferBytes bytes;
    bytes.message = gpus * boundaryBytes(on.model, on.setup);
    bytes.tied = gpus * tiedBytes(on);
    bytes.isHierarchical = on.hardware.hierarchicalAllReduce;
    for (int stage = 0; stage < stages; ++stage) {
        bytes.stash.push_back(gpus * stageStashBytes(on.model, on.setup, stages, stage));
        bytes.allReduced.push_back(gpus * allReduceBytes(on, stages, stage));
    }
    return bytes;
}

int LinkLoad::count(Of which) const
{
    int sum = 0;
    for (const LinkFlow& flow : flows)
        sum += isAllReduce(flow) == (which == Of::AllReduces) ? flow.transfers : 0;
    return sum;
}

const LinkLoad* LinkLoads::find(int from, int to) const
{
    const auto found = std::ranges::find_if(
        links, [&](const LinkLoad& link) { return link.from == from && link.to == to; });
    return found == links.end() ? nullptr : &*found;
}

const LinkLoad* LinkLoads::largest() const
{
    const auto found = std::ranges::max_element(links, {}, [](const LinkLoad& link) {
        return std::tuple(link.from != link.to, link.bytes());
    });
    return found == links.end() ? nullptr : &*found;
}

ExposedTime exposedByKind(const Run& run, int iteration)
{
    const Lanes lanes(run, iteration);
    ExposedTime sum;
    for (const DeviceId d : Ids<DeviceId>(lanes.devices())) {
        Windows computed = lanes.compute(d);
        const auto take = [&](std::initializer_list<Track::Kind> kinds) {
            const Windows windows = windowsOf(lanes, d, kinds);
            const Windows exposed = subtract(windows, computed);
            computed.insert(computed.end(), exposed.begin(), exposed.end());
            computed = unite(std::move(computed));
            return static_cast<double>(length(exposed)) / lanes.devices();
        };
        sum.messages += take({Track::Kind::Send, Track::Kind::Receive});
        sum.copies += take({Track::Kind::Copy});
        sum.allReduces += take({Track::Kind::AllReduce});
    }
    return sum;
}

Result<LinkLoads> linkLoads(const Run& run, const Mapping& mapping, const TransferBytes& bytes,
                            int iteration)
{
    const auto index = TRY(iterationIndex(run, iteration));
    const Lanes lanes(run, index);
    const Traffic traffic(run, lanes, bytes);
    Placement placement(mapping, run.schedule, bytes);
    for (const Transfers& flow : traffic.flows())
        placement.addFlow(flow);
    for (const Transfers& sum : traffic.allReduces())
        if (sum.count > 0)
            placement.addAllReduce(sum);
    LinkLoads loads = placement.finish();
    loads.exposed = exposedByKind(run, index);
    return loads;
}

} // namespace profiler

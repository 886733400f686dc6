#pragma once

#include "engine/cost/model_prices.h"
#include "engine/timeline/run.h"

#include <vector>

namespace profiler {

// Bytes that the transfers of a schedule move, summed over the GPUs of a device.
struct TransferBytes
{
    double message = 0;                                   // of a whole micro-batch
    engine::IdVector<engine::StageId, double> stash;      // moved by an EVICT or a LOAD
    engine::IdVector<engine::StageId, double> allReduced; // summed by an all-reduce of the stage
    bool isHierarchical = false; // all-reduces across nodes (HardwareSpec::hierarchicalAllReduce)
};
TransferBytes transferBytes(const engine::ModelOnHardware& on, int stages);

// The transfers of one kind between two devices, or the all-reduces of a stage.
struct LinkFlow
{
    engine::OpKind kind = engine::OpKind::SendActivation;
    engine::StageId stage; // the sending stage, or the stage of the stash or the gradients
    int replica = 0;
    engine::DeviceId from, to; // invalid for all-reduces
    int transfers = 0;         // per iteration, over all data-parallel copies that use the link
    double bytes = 0;          // bytes of all `transfers`
    std::int64_t time = 0;     // mean duration of one transfer, in ticks
    // Ticks per iteration in which transfers of one data-parallel copy run and the device that
    // waits for them (the source of an EVICT, otherwise the receiver) does not compute. For
    // all-reduces: the largest such time of a member.
    std::int64_t exposed = 0;
};

// The load of one link per iteration in one direction. A link is all NICs between two nodes, or all
// ports within a node (from == to).
struct LinkLoad
{
    int from = 0, to = 0;                            // nodes
    std::vector<LinkFlow> flows;                     // messages first, all-reduces last
    std::int64_t busy = 0;                           // ticks in which at least one transfer runs
    double messages = 0, copies = 0, allReduces = 0; // bytes

    double bytes() const { return messages + copies + allReduces; }
    enum class Of { Messages, AllReduces }; // messages include copies
    int count(Of which) const;              // transfers per iteration
};

// Bytes per iteration from one slot to another of the same node.
struct SlotLoad
{
    int from = 0, to = 0;
    double messages = 0, copies = 0, allReduces = 0;

    double bytes() const { return messages + copies + allReduces; }
};

// The all-reduces of the stages that are held by the same nodes.
struct AllReduceLoad
{
    std::vector<engine::StageId> stages;
    std::vector<int> nodes;
    int ranks = 1;
    double bytes = 0;                   // sent by every member, for all stages
    std::int64_t time = 0, exposed = 0; // sums over the stages, in ticks
};

// Exposed communication by kind: means over the devices, in ticks. Time in which several kinds run
// counts for the first one in this order.
struct ExposedTime
{
    double messages = 0, copies = 0, allReduces = 0;

    double sum() const { return messages + copies + allReduces; }
};

struct LinkLoads
{
    std::vector<LinkLoad> links; // sorted by nodes; only links with traffic
    std::vector<SlotLoad> slots; // within nodes, sorted
    std::vector<AllReduceLoad> allReduces;
    ExposedTime exposed;

    const LinkLoad* find(int from, int to) const; // nullptr: no traffic
    const LinkLoad* largest() const;              // prefers links between nodes; nullptr: no link
};

// The loads of an iteration of a lowered schedule (-1: the reported iteration). The run has the
// times of one data-parallel copy; the mapping places the transfers of every copy on the links.
// Returns the errors of metrics().
engine::Result<LinkLoads> linkLoads(const engine::Run& run, const engine::Mapping& mapping,
                                    const TransferBytes& bytes, int iteration = -1);

ExposedTime exposedByKind(const engine::Run& run, int iteration);

} // namespace profiler

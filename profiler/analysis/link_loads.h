#pragma once

#include "engine/cost/model_prices.h"
#include "engine/timeline/run.h"

#include <vector>

namespace profiler {

// The sizes of the transfers of a schedule in bytes, summed over the GPUs of a device.
struct TransferBytes
{
    double message = 0;                              // of a whole micro-batch
    engine::IdVector<engine::StageId, double> stash; // bytes that an EVICT or a LOAD moves
    // Bytes that an all-reduce of the stage sums.
    engine::IdVector<engine::StageId, double> allReduced;
    double tied = 0; // the part of the first and of the last stage that tied embeddings share
    bool isHierarchical = false; // all-reduces across nodes (HardwareSpec::hierarchicalAllReduce)
};
TransferBytes transferBytes(const engine::ModelOnHardware& on, int stages);

// The transfers of one kind between two devices, or the all-reduces of a stage.
struct LinkFlow
{
    engine::OpKind kind = engine::OpKind::SendActivation;
    // For messages the sending stage, otherwise the stage of the stash or the gradients.
    engine::StageId stage;
    int replica = 0;
    engine::DeviceId from, to; // invalid for all-reduces
    // Transfers per iteration, summed over all data-parallel copies that use the link.
    int transfers = 0;
    double bytes = 0;      // bytes of all `transfers`
    std::int64_t time = 0; // mean duration of one transfer, in ticks
    // Ticks per iteration in which transfers run while the device that waits for them does not
    // compute, in one data-parallel copy. The source waits for an EVICT; for other transfers the
    // receiver waits. For all-reduces: the largest such time over the members.
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

// The all-reduces of all stages with the same number of ranks on the same set of nodes.
struct AllReduceLoad
{
    std::vector<engine::StageId> stages;
    std::vector<int> nodes;
    int ranks = 1;
    double bytes = 0; // bytes that one member sends; sum over the stages
    // Sums over the stages, in ticks. 0 if the all-reduces continue that of tied embeddings, whose
    // time contains theirs.
    std::int64_t time = 0, exposed = 0;
};

// Exposed communication by kind: means over the devices, in ticks. Time in which several kinds run
// is added only to the first of their fields.
struct ExposedTime
{
    double messages = 0, copies = 0, allReduces = 0;

    double sum() const { return messages + copies + allReduces; }
};

struct LinkLoads
{
    std::vector<LinkLoad> links; // sorted by nodes; only links with traffic
    std::vector<SlotLoad> slots; // loads within nodes, sorted
    std::vector<AllReduceLoad> allReduces;
    ExposedTime exposed;

    const LinkLoad* find(int from, int to) const; // nullptr if the link has no traffic
    const LinkLoad* largest() const; // prefers links between nodes; nullptr if `links` is empty
};

// Returns the loads of one iteration (-1: the reported iteration). The schedule must be lowered,
// that is, have explicit transfers. The run has the times of one data-parallel copy; the mapping
// places the transfers of every copy on the links. Returns the errors of metrics().
engine::Result<LinkLoads> linkLoads(const engine::Run& run, const engine::Mapping& mapping,
                                    const TransferBytes& bytes, int iteration = -1);

ExposedTime exposedByKind(const engine::Run& run, int iteration);

} // namespace profiler

#pragma once

#include "engine/base/id_vector.h"
#include "profiler/import/iterations.h"

#include <vector>

namespace profiler {

// A piece of work that became one op of a schedule, or two joint ops.
struct PlacedWork
{
    std::uint32_t rank = 0, work = 0; // indices in Job::ranks and ClassifiedRank::works
    int iteration = 0;
    engine::Op op;
    std::optional<engine::Op> second;
};

// Calls use(op) with the op of the work, or with each of its joint ops. `work` may be const.
template<class Work, class Use>
void forEachOp(Work& work, const Use& use)
{
    use(work.op);
    if (work.second)
        use(*work.second);
}

// The pipeline that the ranks of a job execute.
struct Placement
{
    engine::Shape shape;
    std::vector<engine::IdVector<engine::StageId, engine::DeviceId>> deviceOf; // by replica
    std::vector<int> ranks; // by device: the rank, even if it has no trace
    // For each index in Job::ranks, the device of the rank; invalid for ranks of other copies and
    // for ranks that share the device of another one.
    std::vector<engine::DeviceId> deviceOfRank;
    std::vector<PlacedWork> works; // the work of the first copy, by rank
    bool stagesKnown = false, microBatchesKnown = false;
    bool complete = true; // whether every stage has a device with ops
    std::vector<std::string> warnings;
    // Numbers of works that were left out, by reason.
    std::int64_t withoutPeer = 0, twice = 0, withoutStage = 0;
};

// Decides stages, micro-batches, devices and copies by the rules in build_run.h.
Placement place(const Job& job, const FoundIterations& iterations);

} // namespace profiler

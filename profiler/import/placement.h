#pragma once

#include "engine/base/id_vector.h"
#include "profiler/import/iterations.h"

#include <vector>

namespace profiler {

// A work as one or two ops of a schedule.
struct PlacedWork
{
    std::uint32_t rank = 0, work = 0; // indices in Job::ranks and ClassifiedRank::works
    int iteration = 0;
    engine::Op op;
    std::optional<engine::Op> second;
};

// The pipeline that the ranks of a job execute.
struct Placement
{
    engine::Shape shape;
    std::vector<engine::IdVector<engine::StageId, engine::DeviceId>> deviceOf; // [replica]
    std::vector<int> ranks;                     // [device] the rank, missing ones included
    std::vector<engine::DeviceId> deviceOfRank; // [index in Job::ranks] invalid: another copy
    std::vector<PlacedWork> works;              // of the first copy, by rank
    bool stagesKnown = false, microBatchesKnown = false;
    bool complete = true; // every stage has a device with ops
    std::vector<std::string> warnings;
    std::int64_t withoutPeer = 0, twice = 0, withoutStage = 0; // works that were left out
};

// Decides stages, micro-batches, devices and copies (build_run.h says how).
Placement place(const Job& job, const FoundIterations& iterations);

} // namespace profiler

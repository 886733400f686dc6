#pragma once

#include "engine/base/id_vector.h"
#include "engine/timeline/import_report.h"
#include "profiler/import/job.h"

#include <set>
#include <string>
#include <vector>

namespace profiler {

struct FoundIterations
{
    int count = 0;
    std::vector<int> numbers; // number of each iteration, as the traces state it
    // The rule by which iterations were found: "ranges of iterations"; "" if the whole job is one
    // iteration.
    std::string from;
    // For each rank, the iteration of each of its works; -1 if it is in no complete iteration.
    std::vector<std::vector<int>> ofWork;
    std::vector<int> incomplete; // number of works outside complete iterations, by rank
    std::string apart;           // why no step is complete on every rank; "" if one is
};

// Finds the iterations of a job. Uses the first of these that the traces have: ranges of whole
// iterations, repetitions of an op that names its stage and micro-batch, or optimizer steps.
// Otherwise the job is one iteration. Only iterations that are complete on every rank count.
FoundIterations findIterations(const Job& job);

// Merges the parts of messages: a program may send the shape of a tensor before it, or several
// tensors. If a rank has k messages of a kind per micro-batch, k of them in order are one. The
// returned iterations do not contain the other parts.
FoundIterations mergeMessages(Job& job, FoundIterations iterations);

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
    std::string lack;      // ImportReport::lack
    std::string cut;       // why the iterations lack ops, or are several; "" if they are whole
    std::set<int> damaged; // iterations of which an op lacks kernels
    bool endsKnown = true; // false: such an op is the first or the last one of its rank
    // Numbers of works that were left out, by reason.
    std::int64_t withoutPeer = 0, twice = 0, withoutStage = 0, lost = 0;
};

// Decides stages, micro-batches, devices and copies by the rules of buildRun().
Placement place(const Job& job, const FoundIterations& iterations);

// Converts the times of all hosts with devices of the run to the clock of the first such host. The
// run needs at least one device with a trace. Assumes that the SEND and the RECV of a message, and
// all calls of a collective, end at the same time. (Without GPU work, a RECV ends soon after its
// SEND begins, and this delay is assumed to be the same in both directions.) The differences
// between the recorded times give the offset and the drift of a clock, and their spread.
//
// Files of a host share a clock if they name the host, or if it is in their names. Otherwise (no
// host name, several sessions of Nsight Systems, two files with the same GPU, or ops that end
// before their inputs) each file has its own clock; it is only moved if messages show that it
// differs. If neither messages nor the order of the ops show how two clocks relate, Job::lack says
// so.
std::vector<engine::ImportReport::Clock> alignClocks(Job& job, const Placement& placement);

// Gives the SEND and the RECV of a message the same window, as in runs of the engine. The window
// begins when both are posted and ends with the arrival. If the job has no kernels, the arrival is
// the end of the receiver's wait. If the receiver did not wait, the arrival is unknown: the message
// is then assumed to take at most the median time of the messages for which the receiver waited.
void alignMessages(Job& job, const Placement& placement);
// Moves the start of every all-reduce to the start of its last call. Does not change an all-reduce
// that has several calls on a rank.
void alignAllReduces(Job& job, const Placement& placement);

// For each rank and each of its works, the op and the iteration that the work became.
using OpsOfWorks = std::vector<std::vector<engine::OpOfIteration>>;

// Merges the GPU activity of all ranks that have a device into one trace, with times relative to
// `origin` (ns), and removes it from these ranks. Contexts, threads and correlations of different
// ranks stay distinct. Ranks of other pipeline copies are left out, as in a recorded run.
engine::GpuTrace mergeGpu(Job& job, const Placement& placement, const OpsOfWorks& ops,
                          std::int64_t origin);

} // namespace profiler

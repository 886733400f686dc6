#pragma once

#include "engine/base/id_vector.h"
#include "engine/base/result.h"
#include "engine/timeline/run.h"
#include "profiler/whatif/run_edits.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profiler {

// The measured times of one kind of work, in ticks of the run.
struct Samples
{
    std::vector<std::int64_t> times;

    std::int64_t median() const; // 0 if there are no times
    double spread() const;       // median absolute deviation, divided by the median
    bool isEmpty() const { return times.empty(); }
};

// The measured times of one stage, and the user's changes to them.
struct StageTimes
{
    Samples forward, backward, input, weight; // times for one micro-batch
    double factor = 1;                        // set by edits: all times are multiplied by it
    // Set by edits: the shares of measured stages that this stage executes.
    std::map<engine::StageId, double> parts;
};

// The text of the assumption that is made if a run did not split the backward.
inline constexpr std::string_view kHalvesAssumed
    = "The run has only B; I and W are assumed to take half of its time each, because each "
      "has half of its FLOPs.";

struct MeasuredTimes
{
    engine::IdVector<engine::StageId, StageTimes> stages;
    Samples message;   // from the end of the sending op to the arrival
    Samples optimizer; // optimizer step of each stage
    Samples allReduce; // all-reduce of each stage
    // The time of I as a share of B (the whole backward). It is measured if the backward is split.
    // Otherwise it is assumed, and `assumptions` says so.
    double inputShare = 0.5;
    bool backwardIsSplit = false; // whether I and W were measured separately
    // Set by edits: the tensor-parallel size relative to the measured run. Every op takes
    // 1/tensorParallel of its measured time.
    double tensorParallel = 1;
    // Set by edits: the slow-down of ops, devices and links. An edit of a single op applies only
    // if the run's own order is simulated.
    std::vector<RunEdit> slowdowns;
    std::vector<int> nodes;        // set by the caller: engine::nodesOfDevices() of the run
    std::int64_t messageDelay = 0; // set by edits: extra time of every message, in ns
    std::vector<std::string> assumptions;
};

// Collects the measured times of a run by stage. Fails with Error::Code::InvalidArgument if the run
// has no stages, no measured iteration, or a stage without forward or backward ops.
engine::Result<MeasuredTimes> measuredTimes(const engine::Run& run);

// Moves `count` layers from one stage to another. `layers` is the number of layers that the stage
// `from` had in the run. Every layer takes an equal share of the time of its measured stage. Fails
// with Error::Code::InvalidArgument if `from` would keep none of its own layers, or if a stage does
// not exist.
engine::Result<void> moveLayers(MeasuredTimes& times, engine::StageId from, engine::StageId to,
                                int count, int layers);

// Gives every device that is slower than the median device the times of the median device.
void removeStragglers(const engine::Run& run, MeasuredTimes& times);

} // namespace profiler

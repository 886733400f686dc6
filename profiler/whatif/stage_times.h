#pragma once

#include "engine/base/id_vector.h"
#include "engine/base/result.h"
#include "engine/timeline/run.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profiler {

// Times of one kind of work, in ticks of the run.
struct Samples
{
    std::vector<std::int64_t> times;

    std::int64_t median() const; // 0 if there are none
    double spread() const;       // median distance from the median, relative to it
    bool isEmpty() const { return times.empty(); }
};

// What the measured iterations of a run say about one stage.
struct StageTimes
{
    Samples forward, backward, input, weight; // of one micro-batch
    double factor = 1;                        // of an edit: all times are multiplied by it
    // Of an edit: the stage executes these shares of the work of measured stages.
    std::map<engine::StageId, double> parts;
};

// The assumption about a run whose backward is not split.
inline constexpr std::string_view kHalvesAssumed
    = "I and W are half of B each, as their FLOPs are: the run has only B.";

struct MeasuredTimes
{
    engine::IdVector<engine::StageId, StageTimes> stages;
    Samples message;   // from the end of its producer to its arrival
    Samples optimizer; // of one stage
    Samples allReduce; // of one stage
    // The share of I in B, measured or assumed; `assumptions` says which.
    double inputShare = 0.5;
    bool backwardIsSplit = false; // I and W were measured
    std::vector<std::string> assumptions;
};

// Collects the times of a run with stages. Fails with Error::Code::InvalidArgument if the run has
// no stages, no measured iteration, or a stage without forward or backward ops.
engine::Result<MeasuredTimes> measuredTimes(const engine::Run& run);

// Moves `count` layers from one stage to another of a model whose stages have layersPerStage layers
// each. Every layer takes an equal share of the time of its measured stage. Fails with
// Error::Code::InvalidArgument if `from` would keep no layer of its own, or if the stages do not
// exist.
engine::Result<void> moveLayers(MeasuredTimes& times, engine::StageId from, engine::StageId to,
                                int count, double layersPerStage);

// Makes every device as fast as the median device.
void removeStragglers(const engine::Run& run, MeasuredTimes& times);

} // namespace profiler

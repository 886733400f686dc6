#pragma once

#include "engine/base/result.h"
#include "engine/cost/cost_model.h"
#include "engine/cost/mapping.h"
#include "engine/timeline/run.h"

#include <optional>

namespace profiler {

struct CalibrateOptions
{
    // Devices per node in the run and in the schedule. Transfers within and between nodes have
    // separate prices.
    int devicesPerNode = 0; // 0: one node
    // Assumed share of I in B. If the run has only B, I takes this share of B and W the rest. If
    // the run has only I and W, B takes I + W. nullopt: a missing time is an error.
    std::optional<engine::Fraction> inputShare = {};
    // Timing rules of the prediction. Measured times already include the interference of the run.
    engine::TimingRules rules = {};
    // If true, an op that the run also has takes as long as in the run. If false, all ops of one
    // kind, stage and slice take the same time.
    bool ownTimes = true;
    // Mappings of the run and of the schedule; nullopt: consecutive devices share a node.
    std::optional<engine::Mapping> ofRun = {}, ofSchedule = {};
};

// Predicts the costs of `lowered` on the machine on which `run` was recorded, in the run's ticks.
// An op with the same kind, stage, micro-batch and slice as an op of the run takes the time of that
// op (recorded_times.h), so the recorded schedule reproduces its median iteration. Any other op
// takes the median of its kind, stage and slice. If the run has no such message or copy, the median
// of other stages or of the reverse direction on the same class of link is taken. Messages,
// all-reduces and optimizer steps that an imported run does not show are free. A stage is assumed
// to cost the same on every device.
//
// Fails with Error::Code::InvalidArgument if stages, slices or all-reduce groups differ, or if the
// run lacks kinds of op; the message says what to record.
engine::Result<engine::OpCosts> calibratedCosts(const engine::Run& run,
                                                const engine::Schedule& lowered,
                                                const CalibrateOptions& options = {});

} // namespace profiler

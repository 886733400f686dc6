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
    // Share of I in B, for runs with only whole backwards (I takes this share of B, W the rest) or
    // only split ones (B takes I + W). Without it, missing times are errors.
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
// op (recorded_times.h), so the recorded schedule reproduces its median iteration. Other ops take
// the median of their kind, stage and slice; messages and copies without one take that of other
// stages or of the reverse direction on the same class of link. Messages, all-reduces and optimizer
// steps that an imported run does not show are free. A stage is assumed to cost the same on every
// device.
//
// Fails with Error::Code::InvalidArgument if stages, slices or all-reduce groups differ, or if the
// run lacks kinds of op; the message says what to record.
engine::Result<engine::OpCosts> calibratedCosts(const engine::Run& run,
                                                const engine::Schedule& lowered,
                                                const CalibrateOptions& options = {});

} // namespace profiler

#pragma once

#include "engine/base/result.h"
#include "engine/cost/cost_model.h"
#include "engine/timeline/run.h"

#include <optional>

namespace profiler {

struct CalibrateOptions
{
    // Devices per node in the run and in the schedule: transfers are priced by class of link.
    int devicesPerNode = 0; // 0: one node
    // Derives missing times: I is this share of B and W the rest; B is I + W. Empty: missing
    // times are errors.
    std::optional<engine::Fraction> inputShare = {};
    // of the prediction; the interference of the run is included in its times
    engine::TimingRules rules = {};
    // Whether an op that the run also has takes its own time. Otherwise all ops of one kind,
    // stage and slice take the same time.
    bool ownTimes = true;
};

// Predicts the costs of `lowered` on the machine on which `run` was recorded, in the run's
// ticks. An op of the same kind, stage, micro-batch and slice as in the run takes its recorded
// time (recorded_times.h), so the recorded schedule reproduces its median iteration. Other ops
// take the median of their kind, stage and slice; messages and copies also use other stages over
// the same class of link. A stage is assumed to cost the same on every device.
//
// InvalidArgument if stages, slices or all-reduce groups differ, or kinds of op are missing; the
// message says what to record.
engine::Result<engine::OpCosts> calibratedCosts(const engine::Run& run,
                                                const engine::Schedule& lowered,
                                                const CalibrateOptions& options = {});

} // namespace profiler

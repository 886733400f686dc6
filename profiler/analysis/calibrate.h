#pragma once

#include "engine/base/result.h"
#include "engine/cost/cost_model.h"
#include "engine/timeline/run.h"

#include <optional>

namespace profiler {

struct CalibrateOptions
{
    // Where nodes end, in the run and in the schedule: transfers are priced by class of link.
    int devicesPerNode = 0; // 0: one node holds all
    // What the run has no time of is derived only where this is given: I takes this share of B and
    // W the rest, and B takes I + W.
    std::optional<engine::Fraction> inputShare = {};
    engine::TimingRules rules
        = {}; // of the prediction; what hindered the run is in its times already
    // Whether an op that the run has too takes its own time. Otherwise all of one kind, stage and
    // slice take the same.
    bool ownTimes = true;
};

// What the ops of `lowered` would take on the machine on which `run` was recorded, in the run's
// ticks: to predict another schedule of the same stages. An op that the run has (the same kind,
// stage, micro-batch and slice) takes its own time (recorded_times.h), so that the schedule that
// was recorded is predicted as its median replay has it; any other the median of its kind, stage
// and slice, a message or copy also that of the kind on other stages over the same class of link. A
// stage is taken to cost the same on every device.
//
// InvalidArgument where the stages, slices or all-reduce groups differ, or kinds are missing: says
// which, and what to record.
engine::Result<engine::OpCosts> calibratedCosts(const engine::Run& run,
                                                const engine::Schedule& lowered,
                                                const CalibrateOptions& options = {});

} // namespace profiler

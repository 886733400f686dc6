#pragma once

#include "profiler/whatif/stage_times.h"

namespace profiler {

// Returns a pointer to the member with the samples of a kind of compute op (F, B, I or W); nullptr
// for other kinds.
Samples StageTimes::*samplesOf(engine::OpKind kind);

// Scales the measured times of a kind so that their median is `median` ns and their relative spread
// is unchanged. Fails with Error::Code::InvalidArgument if the stage or its times do not exist, or
// if `median` is not positive.
engine::Result<void> setMedian(MeasuredTimes& times, engine::StageId stage, engine::OpKind kind,
                               std::int64_t median);

// Sets the share of W in B, from 0 to 1. Fails with Error::Code::InvalidArgument if the run
// measured I and W separately or the share is out of range.
engine::Result<void> setWeightShare(MeasuredTimes& times, double share);

// Divides the work of every op among `factor` times as many tensor-parallel ranks as in the run.
// Effects that are not predicted are listed in MeasuredTimes::assumptions. `factor` must be
// positive.
void setTensorParallel(MeasuredTimes& times, double factor);

} // namespace profiler

#pragma once

#include "engine/timeline/run.h"
#include "profiler/analysis/metrics.h"
#include "profiler/study/study.h"

namespace profiler {

// The metrics of a point from its run. `metrics` are those of the reported iteration;
// `deviceMemory` is in bytes and unknown for runs. Times of kinds are medians over the measured
// iterations; a simulated run has one.
StudyValues valuesOf(const engine::Run& run, const RunMetrics& metrics,
                     std::optional<double> deviceMemory);

} // namespace profiler

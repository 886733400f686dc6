#pragma once

#include "engine/timeline/run.h"
#include "profiler/analysis/metrics.h"
#include "profiler/study/study.h"

namespace profiler {

// Returns the metrics of a point, computed from its run. `metrics` are those of the reported
// iteration. The times of each kind of op are medians over the measured iterations (a simulated run
// has one).
StudyValues valuesOf(const engine::Run& run, const RunMetrics& metrics);

} // namespace profiler

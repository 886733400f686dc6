#pragma once

#include "profiler/store/trace_store.h"

#include <string_view>

namespace profiler {

// What a run on GPUs learned until its end, as rows of BS_metric; empty of other runs.
std::vector<Metric> gpuMetrics(const engine::RunInfo& info);

// The inverse, row by row; rows of another name are passed over.
void takeGpuMetric(std::string_view name, double value, engine::RunInfo& info);

} // namespace profiler

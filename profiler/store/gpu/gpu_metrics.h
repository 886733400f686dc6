#pragma once

#include "profiler/store/trace_store.h"

#include <string_view>

namespace profiler {

// What is known at the end of a run on GPUs, as rows of BS_metric; empty for other runs.
std::vector<Metric> gpuMetrics(const engine::RunInfo& info);

// Reads one metric into `info`; ignores other names.
void takeGpuMetric(std::string_view name, double value, engine::RunInfo& info);

} // namespace profiler

#pragma once

#include "profiler/store/trace_store.h"

#include <string_view>

namespace profiler {

// Rows of BS_metric of a finished run; empty for runs without GPUs.
std::vector<Metric> gpuMetrics(const engine::RunInfo& info);

// Reads one metric into `info`; ignores other names. Returns false if the value is not possible.
bool takeGpuMetric(std::string_view name, std::int64_t value, engine::RunInfo& info);

} // namespace profiler

#pragma once

#include "engine/timeline/run.h"
#include "profiler/analysis/kernel_table.h"

#include <nlohmann/json.hpp>

#include <string>

namespace cli {

// GPU activity by op type: gaps, then every kernel with count, times and its share of the ops'
// time.
std::string kernelText(const profiler::GpuActivity& activity, const profiler::KernelTable& table);

// Adds "op_kinds" and "kernels" for `analyze --kernels --json`. Nanoseconds.
void addKernels(nlohmann::ordered_json& json, const profiler::GpuActivity& activity,
                const profiler::KernelTable& table);

} // namespace cli

#pragma once

#include "engine/timeline/run.h"
#include "profiler/analysis/kernel_table.h"

#include <nlohmann/json.hpp>

#include <string>

namespace cli {

// Returns the GPU activity by kind of op. For each kind it has the gaps, then every kernel with its
// count, times and share of the ops' time.
std::string kernelText(const profiler::GpuActivity& activity, const profiler::KernelTable& table);

// Adds "op_kinds" and "kernels" for `analyze --kernels --json`. Times are in ns.
void addKernels(nlohmann::ordered_json& json, const profiler::GpuActivity& activity,
                const profiler::KernelTable& table);

} // namespace cli

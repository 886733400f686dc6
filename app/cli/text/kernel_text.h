#pragma once

#include "engine/timeline/run.h"
#include "profiler/analysis/kernel_table.h"

#include <nlohmann/json.hpp>

#include <string>

namespace cli {

// Returns a table of the GPU activity and gaps of each kind of op, and a table of the kernels with
// their counts, times and shares of the ops' time.
std::string kernelText(const profiler::GpuActivity& activity, const profiler::KernelTable& table);

// Adds "op_kinds" and "kernels" for `analyze --kernels --json`. Times are in ns.
void addKernels(nlohmann::ordered_json& json, const profiler::GpuActivity& activity,
                const profiler::KernelTable& table);

} // namespace cli

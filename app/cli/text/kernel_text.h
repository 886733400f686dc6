#pragma once

#include "engine/timeline/run.h"
#include "profiler/analysis/kernel_table.h"

#include <nlohmann/json.hpp>

#include <string>

namespace cli {

// What GPUs ran beneath the ops, by kind of op: gaps, then every kernel with count, times and share
// of the ops' time.
std::string kernelText(const profiler::GpuActivity& activity, const profiler::KernelTable& table);

// What `analyze --kernels --json` adds: "op_kinds", "kernels". Nanoseconds.
void addKernels(nlohmann::ordered_json& json, const profiler::GpuActivity& activity,
                const profiler::KernelTable& table);

} // namespace cli

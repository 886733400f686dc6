#pragma once

#include "engine/timeline/gpu_trace.h"
#include "profiler/analysis/kernel_table.h"
#include "profiler/report/sheet.h"

#include <string>

namespace cli {

// Describes what is missing in a trace with `kernels` kernels: "3 of 7012 kernels belong to no op,
// 12 records were lost"; "" if the trace is complete.
std::string missingText(std::size_t kernels, const engine::GpuTraceHealth& health);

// Adds sentences on the GPU activity of a run and the clock speeds of its GPUs. Returns them as
// JSON; unknown if the run used no GPU.
profiler::Reading addGpu(const engine::Run& run, const engine::GpuTrace& trace,
                         profiler::Sheet& sheet);

// Adds a table of the GPU activity and gaps of each kind of op, and a table of the kernels with
// their counts, times and shares of the ops' time.
void addKernels(const profiler::GpuActivity& activity, const profiler::KernelTable& table,
                profiler::Sheet& sheet);

} // namespace cli

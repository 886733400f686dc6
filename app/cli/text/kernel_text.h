#pragma once

#include "profiler/analysis/kernel_table.h"
#include "profiler/report/sheet.h"

namespace cli {

// Adds a table of the GPU activity and gaps of each kind of op, and a table of the kernels with
// their counts, times and shares of the ops' time.
void addKernels(const profiler::GpuActivity& activity, const profiler::KernelTable& table,
                profiler::Sheet& sheet);

} // namespace cli

#pragma once

#include "profiler/export/chrome_events.h"
#include "profiler/export/exporters.h"

namespace profiler {

// Writes the GPU records of a run as Kineto does:
//  * kernels, copies and memsets on a thread per stream, in the process of their device,
//  * calls and NVTX ranges in a process for the host,
//  * a flow from each call to the work that it launched,
//  * counters of the clocks.
engine::Result<void> exportChromeGpu(const engine::Run& run, const GpuPieces& gpu,
                                     ChromeEvents& out);

} // namespace profiler

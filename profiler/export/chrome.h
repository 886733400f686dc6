#pragma once

#include "profiler/export/exporters.h"

namespace profiler {

// Writes Chrome's trace event format, for Perfetto and chrome://tracing: a process per device, a
// thread per lane, arrows from send to receive, a memory counter, and the GPU records as Kineto
// writes them. See FORMATS.md.
engine::Result<void> exportChrome(const engine::Run& run, const GpuPieces& gpu,
                                  const engine::TextSink& sink);

} // namespace profiler

#pragma once

#include "engine/base/new_file.h"
#include "engine/timeline/run.h"

namespace profiler {

// Writes Chrome's trace event format, for Perfetto and chrome://tracing: a process per device, a
// thread per lane, arrows from send to receive, a memory counter. See FORMATS.md.
void exportChrome(const engine::Run& run, const engine::TextSink& sink);

} // namespace profiler

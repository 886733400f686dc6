#pragma once

#include "engine/base/result.h"
#include "engine/timeline/run.h"

#include <string>

namespace profiler {

// Chrome's trace event format, for Perfetto and chrome://tracing: a process per device, a thread
// per lane, arrows from send to receive, a memory counter. See FORMATS.md.
engine::Result<std::string> exportChrome(const engine::Run& run);

} // namespace profiler

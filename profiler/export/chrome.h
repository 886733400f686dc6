#pragma once

#include "engine/base/result.h"
#include "engine/timeline/run.h"

#include <string>

namespace profiler {

// Chrome's trace event format, as Perfetto and chrome://tracing read it: a process per device, a
// thread per lane, arrows from send to receive, a memory counter. FORMATS.md has the details.
engine::Result<std::string> exportChrome(const engine::Run& run);

} // namespace profiler

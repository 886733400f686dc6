#pragma once

#include "engine/base/result.h"
#include "engine/timeline/run.h"

#include <string>

namespace profiler {

// The whole run as one JSON object (FORMATS.md): info, placement, iterations with losses, spans,
// memory events. Each span and event has a line of its own.
engine::Result<std::string> exportJson(const engine::Run& run);

} // namespace profiler

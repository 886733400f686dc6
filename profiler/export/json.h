#pragma once

#include "engine/base/result.h"
#include "engine/timeline/run.h"

#include <string>

namespace profiler {

// The whole run as one JSON object (FORMATS.md): info, placement, iterations with losses, spans,
// memory events. One span or event per line.
engine::Result<std::string> exportJson(const engine::Run& run);

} // namespace profiler

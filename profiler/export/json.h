#pragma once

#include "engine/base/new_file.h"
#include "engine/timeline/run.h"

namespace profiler {

// The whole run as one JSON object (FORMATS.md): info, placement, iterations with losses, spans,
// memory events. Each span and event has a line of its own.
void exportJson(const engine::Run& run, const engine::TextSink& sink);

} // namespace profiler

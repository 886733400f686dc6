#pragma once

#include "engine/base/new_file.h"
#include "engine/timeline/run.h"

namespace profiler {

// Writes the whole run as one JSON object (FORMATS.md): info, placement, iterations with losses,
// spans, memory events. Each span and event is on a separate line of text.
void exportJson(const engine::Run& run, const engine::TextSink& sink);

} // namespace profiler

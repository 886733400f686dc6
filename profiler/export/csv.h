#pragma once

#include "engine/base/new_file.h"
#include "engine/timeline/run.h"

namespace profiler {

// Writes a CSV table with one row per span, sorted by device, lane and start. See FORMATS.md.
void exportCsv(const engine::Run& run, const engine::TextSink& sink);

} // namespace profiler

#pragma once

#include "engine/base/result.h"
#include "engine/timeline/run.h"

#include <string>

namespace profiler {

// One row per span, by device, lane and begin. FORMATS.md has the columns.
engine::Result<std::string> exportCsv(const engine::Run& run);

} // namespace profiler

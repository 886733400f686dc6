#pragma once

#include "engine/base/result.h"
#include "engine/timeline/run.h"

#include <string>

namespace profiler {

// A CSV table with one row per span, sorted by device, lane and begin. See FORMATS.md.
engine::Result<std::string> exportCsv(const engine::Run& run);

} // namespace profiler

#pragma once

#include "engine/timeline/run.h"

#include <string>

namespace profiler {

// Returns the import report of a run as JSON, as `bscope import --json` prints it. Requires
// RunInfo::import.
std::string importJson(const engine::Run& run);

} // namespace profiler

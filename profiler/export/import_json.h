#pragma once

#include "engine/timeline/run.h"

#include <string>

namespace profiler {

// The report of an imported run, as `bscope import --json` prints it. Requires RunInfo::import.
std::string importJson(const engine::Run& run);

} // namespace profiler

#pragma once

#include "engine/timeline/run.h"
#include "profiler/report/sheet.h"

namespace profiler {

// The import report as `bscope import` prints it. Requires RunInfo::import.
Sheet importSheet(const engine::Run& run);

// How much of the recorded memory has a category: "87 % by category"; "" without memory.
std::string categorizedMemory(const engine::Run& run);

} // namespace profiler

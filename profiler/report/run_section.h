#pragma once

#include "engine/timeline/run.h"
#include "profiler/analysis/metrics.h"

#include <string>

namespace profiler {

// The parts of a report on one run, as HTML.

std::string factsLine(const engine::Run& run); // "emulated, D = 4, N = 8, v = 2, model tiny, ..."
std::string keyNumbers(const engine::Run& run, const RunMetrics& metrics);
std::string deviceSection(const engine::Run& run, const RunMetrics& metrics);
std::string bubbleSection(const engine::Run& run, const RunMetrics& metrics);
std::string memorySection(const engine::Run& run, const RunMetrics& metrics); // "" if not recorded
std::string setupSection(const engine::Run& run);

} // namespace profiler

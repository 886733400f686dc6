#pragma once

#include "engine/timeline/run.h"
#include "profiler/analysis/explain.h"
#include "profiler/analysis/metrics.h"

#include <nlohmann/json.hpp>

namespace cli {

// Returns a time of a run as a JSON number: a decimal number if it is in cost units, or an integer
// if it is in nanoseconds.
nlohmann::ordered_json timeJson(const engine::RunInfo& info, std::int64_t ticks);

// The object printed by `simulate --json` and `analyze --json`.
nlohmann::ordered_json runJson(const engine::Run& run, const profiler::RunMetrics& metrics);

// The "bubbles" and "critical_path" of `analyze --json`.
nlohmann::ordered_json bubblesJson(const engine::Run& run,
                                   const std::vector<profiler::Bubble>& bubbles);
nlohmann::ordered_json pathJson(const engine::Run& run,
                                const std::vector<profiler::CauseLink>& path);

} // namespace cli

#pragma once

#include "engine/timeline/run.h"
#include "profiler/analysis/explain.h"
#include "profiler/analysis/metrics.h"

#include <nlohmann/json.hpp>

namespace cli {

// Times of a run as JSON numbers: units as decimals, nanoseconds as integers.
nlohmann::ordered_json timeJson(const engine::RunInfo& info, std::int64_t ticks);

// The object that `simulate --json` and `analyze --json` print (cli.md, "Columns").
nlohmann::ordered_json runJson(const engine::Run& run, const profiler::RunMetrics& metrics);

// What `analyze --json` adds: "bubbles" and "critical_path", ops as they are spelled.
nlohmann::ordered_json bubblesJson(const engine::Run& run,
                                   const std::vector<profiler::Bubble>& bubbles);
nlohmann::ordered_json pathJson(const engine::Run& run,
                                const std::vector<profiler::CauseLink>& path);

} // namespace cli

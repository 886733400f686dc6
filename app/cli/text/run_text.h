#pragma once

#include "engine/timeline/run.h"
#include "profiler/analysis/explain.h"
#include "profiler/analysis/metrics.h"

#include <string>
#include <vector>

namespace cli {

// Returns the first line of a run's summary: "BitPipe, emulated: D = 4, N = 8, v = 2, model tiny".
std::string headingOf(const engine::Run& run);
// Returns the metrics in one line: "iteration 19.0 ms (median of 5), span 18.2 ms, bubble 14.3 %,
// 1024 tokens/s".
std::string summaryLine(const engine::Run& run, const profiler::RunMetrics& metrics);
// Returns the first and the last loss: "5.551 -> 5.312 nats per token over 7 iterations"; "-" if
// the run did not train.
std::string lossText(const engine::Timeline& timeline);
std::string gradientNormText(const engine::Timeline& timeline); // "-" if unknown

std::string timeUnitOf(const engine::Run& run); // "ms", "units": the unit of deviceTable()
std::string deviceTable(const engine::Run& run, const profiler::RunMetrics& metrics);
// gpuMemoryTable() returns the memory of each GPU by owner, and the total that the driver reports.
// memoryTable() returns the peak of each device by category, and its planned and touched bytes.
// Both return "" if the memory was not recorded.
std::string gpuMemoryTable(const engine::RunInfo& info);
std::string memoryTable(const engine::Run& run, const profiler::RunMetrics& metrics);
const char* bubbleKindName(profiler::Bubble::Kind kind); // "fill", "wait", "drain"
// Returns the bubbles by cause, then the longest bubbles with the op that each waited for.
std::string bubbleText(const engine::Run& run, const std::vector<profiler::Bubble>& bubbles);
std::string pathText(const engine::Run& run, const std::vector<profiler::CauseLink>& path);

} // namespace cli

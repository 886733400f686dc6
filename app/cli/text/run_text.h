#pragma once

#include "engine/timeline/run.h"
#include "profiler/analysis/explain.h"
#include "profiler/analysis/metrics.h"

#include <string>
#include <vector>

namespace cli {

// A run in words and tables, for a terminal.

// "BitPipe, emulated: D = 4, N = 8, v = 2, model tiny"
std::string headingOf(const engine::Run& run);
// "iteration 19.0 ms (median replay), span 18.2 ms, bubble 14.3 %, 1024 tokens/s"
std::string headlineOf(const engine::Run& run, const profiler::RunMetrics& metrics);
// "5.551 -> 5.312 nats per token over 7 iterations", "-" when nothing was trained.
std::string lossText(const engine::Timeline& timeline);
std::string gradientNormText(const engine::Timeline& timeline); // "-" where none is known

std::string timeUnitOf(const engine::Run& run); // "ms", "units": of the table below
std::string deviceTable(const engine::Run& run, const profiler::RunMetrics& metrics);
// With what of each device's memory was laid out and touched; "" when none was recorded.
// Of each GPU who has how much of its memory, beside what the driver says; "" where none computed.
std::string gpuMemoryTable(const engine::RunInfo& info);
std::string memoryTable(const engine::Run& run, const profiler::RunMetrics& metrics);
const char* bubbleKindName(profiler::Bubble::Kind kind); // "fill", "wait", "drain"
// Sums by cause, then the longest ones with what they waited for.
std::string bubbleText(const engine::Run& run, const std::vector<profiler::Bubble>& bubbles);
std::string pathText(const engine::Run& run, const std::vector<profiler::CauseLink>& path);

} // namespace cli

#pragma once

#include "engine/base/result.h"
#include "engine/timeline/run.h"
#include "profiler/analysis/ranking.h"
#include "profiler/analysis/run_measures.h"
#include "profiler/report/sheet.h"

#include <span>
#include <string>

namespace profiler {

// The parts of a sheet about a run. `bscope analyze`, simulate, run and compare print them, and the
// report page shows them.

std::string runHeading(const engine::Run& run); // "BitPipe, emulated: D = 4, N = 8, model tiny"
std::string runFacts(const engine::Run& run);   // without the label
void addSummary(const engine::Run& run, const RunMetrics& metrics, Sheet& sheet);
// The table of devices and, if memory was recorded, the tables of their memory.
void addDevices(const engine::Run& run, const RunMetrics& metrics, Sheet& sheet);
// The bubbles by kind, and the longest ones with their causes. The run needs spans.
void addBubbles(const engine::Run& run, const RunMetrics& metrics, Sheet& sheet);
void addSetup(const engine::Run& run, Sheet& sheet);

// A row for each run, with the settings that differ.
Table comparedRuns(std::span<const engine::Run* const> runs, const Comparison& comparison);
// The JSON of the differences of a run from the baseline, by key of the measure.
Reading differenceData(const Comparison& comparison, std::size_t run);
// The verdict, the differences with their intervals, and notes on the comparison.
void addComparison(std::span<const engine::Run* const> runs, const Comparison& comparison,
                   Sheet& sheet);

// A page with the results of one run, or of several compared with the first: key numbers, figure,
// metrics per device, bubbles with causes, memory and set-up, and the findings of one run. The page
// is one file without scripts, and a browser loads nothing else for it. Runs with too many ops for
// a page get no figure. Fails as metrics() and layoutFigure() do.
engine::Result<std::string> htmlReport(std::span<const engine::Run* const> runs,
                                       std::span<const Finding> findings = {});

// The import report as `bscope import` prints it. Requires RunInfo::import.
Sheet importSheet(const engine::Run& run);

// How much of the recorded memory has a category: "87 % by category"; "" without memory.
std::string categorizedMemory(const engine::Run& run);

} // namespace profiler

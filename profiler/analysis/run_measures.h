#pragma once

#include "profiler/analysis/explain.h"
#include "profiler/analysis/measure.h"
#include "profiler/analysis/metrics.h"

namespace profiler {

// The subjects of the measures of a run. They refer to the run and its metrics, which must outlive
// them.

struct ReportedRun
{
    const engine::Run& run;
    const RunMetrics& metrics; // of the reported iteration

    const engine::RunInfo& info() const { return run.info; }
    const engine::Shape& shape() const { return run.schedule.shape; }
};

struct ReportedDevice
{
    const engine::Run& run;
    const RunMetrics& metrics;
    const DeviceMetrics& of;

    const engine::RunInfo& info() const { return run.info; }
    bool isRecorded() const { return hasTrace(run, of.device); }
};

struct ReportedBubble
{
    const engine::Run& run;
    const engine::OpIndex& index;
    const Bubble& of;
};

std::span<const Measure<ReportedRun>> runMeasures();
std::span<const Measure<ReportedDevice>> deviceMeasures();
std::span<const Measure<ReportedBubble>> bubbleMeasures();
std::span<const Measure<engine::GpuMemory>> gpuMemoryMeasures();

// The measures that have a definition, each number once.
std::vector<const MeasureInfo*> definitions();
// The definition of the number with this title, without regard to case. Titles of shares end with
// ", %". nullptr if there is none.
const MeasureInfo* definitionTitled(std::string_view title);
std::string definitionsText(); // for a terminal, at most 100 columns wide
Reading definitionsData();     // for JSON

std::vector<ReportedDevice> reportedDevices(const engine::Run& run, const RunMetrics& metrics);
// The JSON of the ops of a chain of causes.
Reading opList(const engine::Run& run, const engine::OpIndex& index,
               const std::vector<CauseLink>& ops);

const char* bubbleKindName(Bubble::Kind kind); // "fill", "wait", "drain"
// Why a device is idle: "1B0 waits for 2B0 of device 2, 8.3 µs running".
std::string bubbleReason(const engine::Run& run, const engine::OpIndex& index,
                         const Bubble& bubble);

// Whether the devices have shares of an iteration: their bubbles are known, or the kernels of a
// trace show when they are idle.
bool knowsTimes(const engine::Run& run);
bool knowsMeanTimes(const engine::Run& run); // and no device or stage lacks its trace

// What the import of a run warns of, with the reason if bubbles are unknown.
std::vector<std::string> importWarnings(const engine::Run& run);

// ImportReport::LeftOut::what of durations that later work of their stream contradicts.
inline constexpr const char* kCorrectedDurations = "Durations that their stream contradicts";

// How the numbers of a run were obtained.
struct Evidence
{
    const char* kind = "recorded"; // "simulated": no op ran; "estimated": placed from timed ops
    const char* from = "ops";      // what was timed: "ops", "kernels" or "ranges" of a trace
    // false: a rank has no trace, the traces lack something else or have wrong durations, or the
    // run did not finish
    bool isComplete = true;
};
Evidence evidence(const engine::Run& run);

} // namespace profiler

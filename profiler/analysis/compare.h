#pragma once

#include "engine/timeline/run.h"
#include "profiler/analysis/metrics.h"

#include <string>
#include <utility>
#include <vector>

namespace profiler {

// A setting that differs between the compared runs.
struct Difference
{
    std::string title;               // "N", "model", "--learning-rate"
    std::vector<std::string> values; // one per run; "" if the run does not have the setting
};

// Returns the settings of a run that may differ between runs, with their titles: shape, mode,
// model, machine and links, followed by the given options of its command.
std::vector<std::pair<std::string, std::string>> settingsOf(const engine::Run& run);

// Returns the settings that differ, in the order of settingsOf().
std::vector<Difference> differences(const std::vector<const engine::Run*>& runs);

// Returns a unique label for each run. Equal labels are extended by the settings that differ, as in
// "1F1B, W = 2", or by a number if none with a short value differs.
std::vector<std::string> distinctLabels(const std::vector<const engine::Run*>& runs);

// The 95 % interval of the median of times, by bootstrap; nullopt with fewer than three times.
std::optional<engine::Interval> medianInterval(std::vector<std::int64_t> times);
// The 95 % interval of the median of the measured iterations, in ticks; contains the duration of
// the median iteration. nullopt for simulated runs, which do not vary, for runs with fewer than
// three measured iterations, and if `iteration` is not the reported one.
std::optional<engine::Interval> iterationInterval(const engine::Run& run, int iteration);

// A run of a comparison, with the metrics of its reported iteration.
struct ComparedRun
{
    std::string label; // from distinctLabels()
    engine::Mode mode = engine::Mode::Simulate;
    bool isOversubscribed = false; // whether the run had more threads than cores
    std::int64_t ticksPerUnit = 1;
    std::int64_t tokensPerIteration = 0; // 0: unknown
    RunMetrics metrics;
    std::optional<engine::Interval> interval; // result of iterationInterval()
    // Means over the devices, in ticks.
    double meanCompute = 0, meanExposed = 0, meanBubble = 0, meanOptimizer = 0;
    std::optional<std::int64_t> peakBytes; // largest peak memory of a device
    std::optional<double> peakStash; // in units of M_a; nullopt if the micro-batches are unknown
    std::optional<double> lossFirst, lossLast;
};

struct Comparison
{
    std::vector<ComparedRun> runs;
    std::vector<Difference> differences;
    std::size_t baseline = 0;
    bool comparable = true; // false: some runs are in abstract units, others in ns
    // Differences that make the comparison less meaningful: "the runs have different modes", "the
    // runs train different models", ...
    std::vector<std::string> notes;
};

engine::Result<Comparison> compare(const std::vector<const engine::Run*>& runs,
                                   std::size_t baseline = 0);

// Describes how a run differs from the baseline: "BitPipe is 19.0 ms shorter than 1F1B: 23.5 ms
// less bubble, 4.0 ms more exposed communication, ...". If their intervals overlap, the text says
// that the runs are not distinguishable.
std::string summarize(const Comparison& comparison, std::size_t run);

} // namespace profiler

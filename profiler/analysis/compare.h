#pragma once

#include "profiler/analysis/metrics.h"

#include <string>
#include <vector>

namespace profiler {

// One run of a comparison: its headline numbers, and the difference to the baseline where the two
// are of one unit (never of different modes without the label: `mode`).
struct ComparedRun
{
    std::string label;
    engine::Mode mode = engine::Mode::Simulate;
    bool isOversubscribed = false; // threads took turns on cores
    std::int64_t ticksPerUnit = 1;
    RunMetrics metrics; // of its headline iteration
    double meanCompute = 0, meanExposed = 0, meanBubble = 0, meanOptimizer = 0; // per device, ticks
    std::optional<std::int64_t> peakBytes;                                      // largest device
    double peakStash = 0;
    std::optional<double> lossFirst, lossLast;
};

struct Comparison
{
    std::vector<ComparedRun> runs;
    std::size_t baseline = 0;
    bool comparable = true; // false: abstract units beside nanoseconds
    std::vector<std::string>
        notes; // "simulated and emulated runs side by side", "different models", ...
};

engine::Result<Comparison> compare(const std::vector<const engine::Run*>& runs,
                                   std::size_t baseline = 0);

// "BitPipe is 19.0 ms shorter than 1F1B: 23.5 ms less bubble, 4.0 ms more exposed communication,
// ..."
std::string summarize(const Comparison& comparison, std::size_t run);

} // namespace profiler

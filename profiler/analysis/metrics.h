#pragma once

#include "engine/base/result.h"
#include "engine/timeline/iteration_summary.h"
#include "engine/timeline/run.h"

#include <array>
#include <optional>
#include <vector>

namespace profiler {

// Every number as defined in ARCHITECTURE.md, "What every number means". Times are ticks of the
// timeline; divide by RunInfo::ticksPerUnit when printing.
struct DeviceMetrics
{
    engine::DeviceId device;
    std::int64_t span = 0;                               // own first start to own last end
    std::int64_t compute = 0;                            // union of F B I W RECOMPUTE OPT
    std::array<std::int64_t, engine::kOpKinds> byKind{}; // sum of durations per OpKind
    std::int64_t exposedCommunication = 0;
    std::int64_t wait = 0; // bubble that is neither before the device's first op nor after its last
    std::int64_t fill = 0, drain = 0; // bubble before its first, after its last
    std::int64_t bubble = 0;          // iteration - compute - exposed = fill + wait + drain
    double peakStash = 0;             // M_a
    double peakKept = 0;              // activations of which, at most, only what a RECOMPUTE needs
                                      // is there: stage inputs; they count recomputeKeeps each
    double weights = 0;               // M_theta
    std::optional<std::int64_t> peakBytes, peakStashBytes; // none: no memory was recorded
    std::array<std::int64_t, engine::kMemoryCategories> bytesAtPeak{};
    std::int64_t timeOfPeak = 0; // first time of it
    int messagesSent = 0, messagesReceived = 0, localCopies = 0;
};

struct RunMetrics
{
    int iteration = -1;        // index into Timeline::iterations that the numbers are of
    std::int64_t duration = 0; // iteration: first F start -> end of the last OPT
    std::int64_t span = 0;     // largest device span
    double bubbleRatio = 0;    // sum of bubbles / (D x iteration)
    std::vector<DeviceMetrics> devices;
    int messages = 0, localCopies = 0;
    std::optional<double> tokensPerSecond, mfu;
    std::optional<double> hfu; // of the FLOPs that were executed: what is recomputed counts again
    // Without spans and with communication that takes time, what of it is exposed is not known and
    // counts as bubble (the device's exposedCommunication is 0).
    bool exposedIsKnown = true;
};

// `iteration` indexes Timeline::iterations; -1 is the headline. NotFound when there is no iteration
// yet.
engine::Result<RunMetrics> metrics(const engine::Run& run, int iteration = -1);

// The same of an iteration of which only sums were kept; no memory, tokens or byKind.
RunMetrics metrics(const engine::Schedule& schedule, const engine::IterationSummary& summary);

// Tokens per second and MFU, where the info and the clock allow them.
void addRates(const engine::RunInfo& info, int dataParallel, RunMetrics& run);

} // namespace profiler

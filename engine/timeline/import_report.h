#pragma once

#include "engine/timeline/timeline.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace engine {

// Describes the import of a run from the traces of another program, and the facts that the traces
// lack.
struct ImportReport
{
    // A process of the imported job.
    struct Rank
    {
        int rank = 0;
        std::string file, host, deviceName; // host, deviceName: "" if unknown
        std::optional<int> device = {};     // nullopt: the run does not show the rank
        int place = 0; // in its pipeline; ranks of one place have the same stages
        std::int64_t work
            = 0; // median over the iterations of the time of its ops, in ns; 0: unknown

        friend bool operator==(const Rank&, const Rank&) = default;
    };
    // The work that a rule of the classifier matched, over all ranks and iterations.
    struct Rule
    {
        std::string name, title;
        std::string confidence;   // "high", "medium" or "low"
        std::int64_t matches = 0; // number of kernels, or of ops on a CPU
        std::int64_t time = 0;    // total time of the matches, in ns

        friend bool operator==(const Rule&, const Rule&) = default;
    };
    struct LeftOut
    {
        std::string what;
        std::int64_t count = 0, time = 0; // `time` is in ns

        friend bool operator==(const LeftOut&, const LeftOut&) = default;
    };
    // The clock of a host relative to that of the first rank's host.
    struct Clock
    {
        std::string host;
        std::int64_t offset = 0; // in ns
        double drift = 0;        // in parts per million; 0: the traces do not show any
        std::int64_t spread = 0; // median distance of the time pairs from the fitted clock, in ns
        int pairs = 0;           // pairs of times at which a transfer ended on the two hosts

        friend bool operator==(const Clock&, const Clock&) = default;
    };

    // A kernel, a copy or an op of the framework on a CPU, and the rule that matches it.
    struct Match
    {
        std::string rule;                // name in `rules`; "": no rule matches
        std::string name;                // name of the kernel or op
        std::optional<int> device;       // nullopt: the run does not show the rank
        std::optional<std::uint32_t> op; // OpIndex of the run's schedule; nullopt: belongs to no op
        // Index into Timeline::iterations; nullopt: outside all iterations.
        std::optional<int> iteration;
        Window window; // ns of the timeline

        friend bool operator==(const Match&, const Match&) = default;
    };
    static constexpr std::size_t kMostMatches = 1000; // stored matches per rule

    std::string program; // the program that recorded the traces: "PyTorch profiler"
    std::vector<Rank> ranks;
    std::vector<int> missingRanks;
    std::string iterationsFrom; // how iterations were found: "ProfilerStep"; "" with one iteration
    std::int64_t kernels = 0;
    bool onGpu = false;    // times are those of GPU work, not of ops on a CPU
    std::int64_t time = 0; // time of all GPU work, or of all ops on a CPU, in ns
    std::vector<Rule> rules;
    std::vector<LeftOut> leftOut;
    std::vector<Clock> clocks; // empty if all ranks share a clock
    std::vector<std::string> warnings;
    // What the traces lack, so that the times of the devices cannot be compared or predicted from:
    // "rank 3 has no trace". "": nothing. See whyUnknown().
    std::string lack;
    bool clocksKnown = true; // false: unknown how the clocks relate, or when an iteration begins
    bool workKnown = true;   // false: kernels of a device are missing
    // If the stages are unknown, all ops belong to stage 0. If the micro-batches are unknown, ops
    // are numbered in the order of their execution.
    bool stagesKnown = false, microBatchesKnown = false;
    // Number of ranks that compute a stage together, of which the run shows one; 0 if unknown.
    std::int64_t tensorParallel = 0, contextParallel = 0;
    // False if the whole recording counts as one iteration, because nothing shows any.
    bool showsIterations() const
    {
        return !iterationsFrom.empty() || stagesKnown || microBatchesKnown;
    }
    // The relative error of an iteration's duration when it is simulated with the median op
    // durations of the trace; nullopt if the trace has no complete pipeline.
    std::optional<double> replayError;
    // The longest matches of each rule, longest first. Empty in files of older versions.
    std::vector<Match> matches;

    // The rank of a device of the run; nullptr if its trace is missing.
    const Rank* rankOf(int device) const
    {
        const auto found = std::ranges::find(ranks, std::optional(device), &Rank::device);
        return found == ranks.end() ? nullptr : &*found;
    }
    double share(std::int64_t part) const // of `time`
    {
        return time > 0 ? static_cast<double>(part) / static_cast<double>(time) : 0;
    }
    double classified() const // share of `time` that rules match, in [0, 1]
    {
        std::int64_t matched = 0;
        for (const Rule& rule : rules)
            matched += rule.time;
        return share(matched);
    }
    friend bool operator==(const ImportReport&, const ImportReport&) = default;
};

} // namespace engine

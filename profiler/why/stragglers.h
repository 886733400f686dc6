#pragma once

#include "profiler/analysis/compare.h"
#include "profiler/analysis/measure.h"
#include "profiler/analysis/ranking.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace profiler {

// We look for a slow device by its own work and not by the length of its iteration, because every
// device waits for the slowest one: back-pressure makes its victims look slow, too. For each
// iteration and kind of op, the pace of a device is the time of its ops per FLOP (per op if the
// layers are unknown), and its excess is how much longer its ops take than at the pace of the other
// devices. If the pace of the others grows with their stashes, it is that for the stashes of the
// device: in an emulated run, stashes that lie long are no longer in the caches. The optimizer is
// left out, because it is noisy and short. Joint ops count as a kind of their own.
struct DevicePace
{
    engine::DeviceId device;
    double work = 0;  // median over the iterations, in ticks
    double waits = 0; // median of the iteration without the ops of the device, in ticks
    Amount excess;    // median over the iterations, as a share of `work` at the pace of the others
    std::map<std::string_view, double> excessByKind; // by kindShortName(), or "joint"
    std::vector<double> excesses;                    // of each compared iteration
    // Number of iterations in which the device is the slowest, by over kStragglerExcess and beyond
    // the differences of the others.
    int slowest = 0;
    // Whether the device has the first or the last stage, whose embedding or output layer may
    // explain its excess: the layers are unknown, or only one kind of its ops takes longer, for
    // FLOPs do not tell the time of an embedding or a loss. The device is then not a straggler.
    bool mayHaveMoreWork = false;
    bool isStraggler = false;
    // The ticks by which the reported iteration would be shorter at the pace of the others;
    // nullopt: the device is no straggler, or the iteration cannot be simulated.
    std::optional<Amount> cost;
    std::vector<std::string> hints; // possible reasons, as sentences
};

// A rank of another copy of the pipeline than the run shows. All copies wait for it in the
// all-reduces of the gradients.
struct SlowRank
{
    int rank = 0, peers = 0; // peers: other ranks with the same stages
    double excess = 0;       // how much longer its ops take than the median of them, as a share
    std::int64_t more = 0;   // in ns per iteration
};

struct Stragglers
{
    engine::IdVector<engine::DeviceId, DevicePace> devices;
    int iterations = 0;       // that were compared
    std::vector<int> numbers; // Iteration::number of each
    // Whether no device is a straggler, but in at least half of the iterations one counts as the
    // slowest: not always the same, or one that is slow now and then.
    bool isRotating = false;
    std::vector<SlowRank> ranks; // slowest first
};

// A straggler takes more than this share longer than the others, and more than three standard
// deviations of the other devices, estimated from their median absolute deviation, or than half of
// this share longer than the slowest of them. The 95 % interval of its excess is above a quarter of
// it.
inline constexpr double kStragglerExcess = 0.05;

// Compares the measured iterations, without the first iteration of the run. Fails with
// Error::Code::NotFound and the reason if the run does not show which device is slow.
engine::Result<Stragglers> stragglers(const engine::Run& run);

// The result as sentences, the first of which is the answer.
std::vector<std::string> stragglersText(const engine::Run& run, const Stragglers& found);
std::vector<Finding> stragglerFindings(const engine::Run& run, const Stragglers& found);

struct ReportedPace
{
    const engine::Run& run;
    const DevicePace& of;
    int iterations;
};
std::span<const Measure<ReportedPace>> paceMeasures();

} // namespace profiler

#pragma once

#include "engine/base/memory_capacity.h"
#include "engine/base/units.h"
#include "engine/schedule/schedule.h"
#include "engine/timeline/gpu_facts.h"
#include "engine/timeline/import_report.h"
#include "engine/timeline/timeline.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace engine {

// The total duration of the same ops of one kind in an iteration, when each runs alone and while
// other devices are busy. For devices that are partitions of one GPU.
struct Interference
{
    OpKind kind = OpKind::Forward;
    std::int64_t alone = 0, concurrent = 0; // in ns per iteration

    double ratio() const { return engine::ratio(concurrent, alone); }
    friend bool operator==(const Interference&, const Interference&) = default;
};

// The slow-down factor over all kinds; 0: not measured.
double interferenceRatio(std::span<const Interference> kinds);

// Describes the factors: "interference slows ops down by a factor of 1.08 (F 1.05, B 1.10, OPT
// 1.31)".
std::string interferenceText(std::span<const Interference> kinds);

enum class Mode : std::uint8_t { Simulate, Emulate, Live, Imported };
enum class Outcome : std::uint8_t {
    Running, // the file has no outcome yet
    Finished,
    Cancelled,
    Failed
};
std::string_view modeName(Mode mode);          // "emulate", for files and the command line
std::string_view modeAdjective(Mode mode);     // "emulated", for display
std::string_view outcomeName(Outcome outcome); // "finished"
std::optional<Mode> modeNamed(std::string_view name);
std::optional<Outcome> outcomeNamed(std::string_view name);

// The memory of one device in bytes, as planned before the run.
struct ArenaUse
{
    std::int64_t live = 0;               // peak of the bytes of live buffers
    std::int64_t arena = 0;              // planned size; exceeds `live` where buffers leave gaps
    std::optional<std::int64_t> touched; // bytes written; set after the first iteration

    friend bool operator==(const ArenaUse&, const ArenaUse&) = default;
};

struct RunRequest
{
    std::string scheme = "bitpipe"; // name in the table of schemes, or "file"
    std::string label;              // "BitPipe", for display
    std::string experiment;         // TOML that repeats the run
    std::string command;            // bscope command that repeats the run
    std::string nvtxGrammar;        // name of the NVTX grammar; "": the default
    int plannedWarmup = 0, plannedIterations = 1;
    // The runs of a session took turns on the machine: in each round, every run measured an equal
    // part of its iterations. "": the run did not take turns.
    std::string session = {};
    int rounds = 0;

    friend bool operator==(const RunRequest&, const RunRequest&) = default;
};

struct RunHardware
{
    std::string hostName;   // name of the machine; "": unknown
    std::string deviceName; // "AMD EPYC, 1 BLAS thread", "" when simulated
    std::string timing;     // the clock of ops: "thread CPU clock", "" when simulated
    std::string link;       // link model of P2P: "50 GB/s, 5 µs (assumed)", "free"
    // Transport between devices on GPUs or partitions: "local", "peer", "nccl" (--transport) or
    // "local, peer"; "" without GPUs.
    std::string transport;
    // Live runs: the number of threads, and the number of cores of the machine; 0: unknown.
    int threads = 0, cores = 0;
    double peakFlops = 0;   // peak of one device in FLOP/s; 0: unknown
    std::string peakSource; // how peakFlops was measured; "" if from a data sheet
    GpuMachine machine;     // empty without GPUs
    // Of a device of the assumed hardware; unknown if none is assumed.
    MemoryCapacity memory = {};

    bool isOversubscribed() const { return threads > cores; } // threads share cores
    friend bool operator==(const RunHardware&, const RunHardware&) = default;
};

struct RunTraining
{
    std::string model;                   // "tiny"; "" if simulated in cost units
    std::string precision;               // "fp32", "bf16", "tf32"; "" if nothing was trained
    std::int64_t tokensPerIteration = 0; // 0: unknown
    double flopsPerIteration = 0;        // model FLOPs; 0: unknown
    double executedFlops = 0;            // per iteration, including recomputation; 0: unknown
    // Share of an activation that is kept from the end of F until its RECOMPUTE; 0: only the input
    // of the stage.
    double recomputeKeeps = 0;
    // Entropies of the training text in nats per token.
    std::optional<double> unigramEntropy, entropyRate;

    friend bool operator==(const RunTraining&, const RunTraining&) = default;
};

constexpr double kUndisturbedShare = 0.9; // ops below this CPU time / wall time are disturbed

// Results of the run. All except `arenas` are known only when the run has ended.
struct RunResults
{
    // The sizes are planned before the run; `touched` is set after the first iteration. Empty if no
    // op ran.
    IdVector<DeviceId, ArenaUse> arenas;
    // Empty unless the devices were partitions of one GPU.
    std::vector<Interference> interference = {};
    // Duration in ns of an iteration placed with the durations of ops that ran alone.
    std::int64_t iterationAlone = 0;
    int graphOps = 0;                      // number of ops that were launched as CUDA graphs
    std::vector<GpuMemory> gpuMemory = {}; // memory of each used GPU; empty: unknown
    // Live runs on the CPU: CPU time / wall time of the ops of the measured iterations.
    std::optional<double> cpuShare = {};
    // Mean number of cores that other processes used while the measured iterations ran.
    std::optional<double> otherLoad = {};

    // Whether other processes on the machine delayed the ops.
    bool isDisturbed() const { return cpuShare && *cpuShare < kUndisturbedShare; }

    friend bool operator==(const RunResults&, const RunResults&) = default;
};

// The origin of a run and the meaning of its numbers, as stored in the run's file.
struct RunInfo : RunRequest, RunHardware, RunTraining, RunResults
{
    Mode mode = Mode::Simulate;
    Outcome outcome = Outcome::Running;
    std::string failure; // reason for the failure, if outcome is Failed
    std::string started; // ISO 8601, UTC
    std::string program; // buildId() of the writer

    // 1 if times are nanoseconds; otherwise the number of ticks per cost unit (one F of a device
    // for one micro-batch).
    std::int64_t ticksPerUnit = 1;

    std::optional<ImportReport> import = {}; // only for mode Imported
    std::string damage = {};                 // damageOf() the run that was read; not stored

    bool inUnits() const { return ticksPerUnit != 1; }
    friend bool operator==(const RunInfo&, const RunInfo&) = default;
};

// The mode as shown beside the numbers of a run: "emulated", "live", "live, oversubscribed (4
// threads, 2 cores)", "live, disturbed (CPU share 83 %)".
std::string modeDescription(const RunInfo& info);

// False if the trace of an imported run does not name the stages (micro-batches).
inline bool knowsStages(const RunInfo& info)
{
    return !info.import || info.import->stagesKnown;
}
inline bool knowsMicroBatches(const RunInfo& info)
{
    return !info.import || info.import->microBatchesKnown;
}

// Why the bubbles of a run and all that is predicted from its times are unknown; "" if they are
// known.
std::string whyUnknown(const RunInfo& info);
// whyUnknown() with what to do: "rank 3 has no trace; import complete traces".
std::string whyUnknownAndRemedy(const RunInfo& info);

// nullptr if the memory use of the device is unknown.
const ArenaUse* arenaOf(const RunInfo& info, DeviceId device);

// A complete run, as the store writes and reads it and as analysis, figures and the window use it.
// `schedule` is the lowered schedule (with P2P, all-reduce and optimizer); spans refer to its ops.
struct Run
{
    RunInfo info;
    Schedule schedule;
    Timeline timeline;

    friend bool operator==(const Run&, const Run&) = default;
};

// False for a device of an imported run whose trace is missing.
inline bool hasTrace(const Run& run, DeviceId device)
{
    return !run.info.import || !run.schedule.program[device].empty();
}

// Why the duration of the run's iterations is unknown; "" if it is known.
std::string whyIterationUnknown(const Run& run);

// Why the spans of a recorded run are impossible: "device 0 has no recorded op". "": they are
// possible.
std::string damageOf(const Run& run);

// Converts ticks to nanoseconds, for formats that have only seconds. One cost unit becomes one
// second. Saturates on overflow.
std::int64_t nanosecondsOf(const RunInfo& info, std::int64_t ticks);

} // namespace engine

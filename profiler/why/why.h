#pragma once

#include "engine/base/memory_capacity.h"
#include "engine/base/result.h"
#include "engine/timeline/run.h"
#include "profiler/whatif/own_replay.h"
#include "profiler/whatif/predict.h"
#include "profiler/whatif/stage_times.h"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profiler {

// A part of the critical path. Each part begins when the previous one ends.
struct PathPart
{
    enum class Kind : std::uint8_t {
        Work,     // an op that runs on the compute lane
        Transfer, // a message, an all-reduce, an evict or a load
        Wait,     // time in which the next op is ready but has not started
    };

    Kind kind = Kind::Work;
    // The op of this part (OpIndex). For a message it is the RECV. For a wait it is the op that
    // starts after the wait or, at the end of the iteration, the op before the wait.
    std::uint32_t op = 0;
    engine::DeviceId device; // the device of `op`
    engine::Window window;

    friend bool operator==(const PathPart&, const PathPart&) = default;
};

// The chain of ops, messages and waits that ends with the last op of an iteration. An op in the
// chain is preceded by what it waited for last: either the previous op on its device, or the
// message that it needs.
struct CriticalPath
{
    int iteration = -1;    // index into Timeline::iterations
    engine::Window window; // window of the iteration
    // In time order. They cover `window` and do not overlap, so their durations add up to it.
    std::vector<PathPart> parts;
    // Set if, according to the recording, an op starts before its input has arrived. The path then
    // covers only the time from the start of that op.
    std::optional<std::uint32_t> fault;
};

// Finds the critical path of an iteration (-1: the reported iteration). Fails with
// Error::Code::NotFound if the run has no such iteration, and with Error::Code::InvalidArgument if
// the stages of the run are unknown or fewer than two ops ran.
engine::Result<CriticalPath> criticalPath(const engine::Run& run, int iteration = -1);

// A lower bound on the time of an iteration, whatever the order of its ops. It keeps the recorded
// costs of the ops and the placement of the stages. It is the largest of three bounds, none of
// which is above the recorded time.
struct LowerBound
{
    enum class Kind : std::uint8_t { Work, Chain, Memory };

    std::int64_t time = 0;
    Kind kind = Kind::Work;  // which of the three bounds is the largest
    engine::DeviceId device; // device of the larger of `work` and `memory`
    std::int64_t work = 0;   // compute of the busiest device
    // The longest chain of dependent ops and messages. Every message takes as long as the fastest
    // one on its link.
    std::int64_t chain = 0;
    // The bound from memory, for the device where it is largest. The device holds each stash at
    // least from its F to its B, and it holds at most `stashes` of them at once. So an iteration
    // takes at least the sum of these holding times, divided by `stashes`. It is 0 if stashes are
    // evicted, recomputed or unknown.
    std::int64_t memory = 0;
    double stashes = 0; // peak stash of the device of `memory` in its order of ops, in M_a
};

LowerBound lowerBound(const engine::Run& run, const IterationTimes& times);

// A change whose effect on the iteration can be simulated.
struct WhyChange
{
    enum class Kind : std::uint8_t {
        Chunks,        // interleaved 1F1B with `chunks` chunks
        SplitBackward, // I and W replace B; the gradient is sent after I
        Earlier,       // `op` runs before `other`, its predecessor on the device
        // Ops of the kind `opKind` of `stage` take the median time of the other stages.
        EqualStage,
        FastLinks,      // messages are twice as fast
        NoWaits,        // ops start as soon as they are ready
        FastAllReduces, // all-reduces are twice as fast
        NoRecompute,    // RECOMPUTE takes no time
        FastCopies,     // evicts and loads are twice as fast
    };

    Kind kind = Kind::NoWaits;
    int chunks = 0;
    std::uint32_t op = 0, other = 0; // OpIndex
    engine::StageId stage = {};
    engine::OpKind opKind = engine::OpKind::Forward;
    // For EqualStage: the duration in the other stages, divided by that in `stage`.
    double share = 0;

    friend bool operator==(const WhyChange&, const WhyChange&) = default;
};

// A reason for the length of the critical path.
struct WhyReason
{
    enum class Kind : std::uint8_t {
        Fill,      // time until the last device on the path starts its first op
        Order,     // an op is ready, but its device runs another op first
        SlowStage, // a stage takes longer than the others for the same work
        Messages,
        Waits, // ops start later than they could
        AllReduces,
        Recompute,
        Copies, // evicts and loads
        Drain,  // time after the first device on the path has finished its last op
    };

    Kind kind = Kind::Fill;
    std::int64_t time = 0;               // ticks of the path that this reason explains
    std::vector<std::size_t> parts = {}; // indices into CriticalPath::parts, ascending
    engine::Window window = {};          // longest contiguous piece of `parts`
    engine::DeviceId device = {};        // device of `op`
    std::uint32_t op = 0;                // the op (OpIndex) that represents the reason
    int count = 1;                       // number of ops or messages on the path
    double excess = 0; // for SlowStage: 0.06 if it takes 6 % longer than the others
    std::optional<WhyChange> change = {};
};

// Returns the reasons, sorted by the start of their windows. Reasons that take less than 1/600 of
// the iteration are omitted.
std::vector<WhyReason> whyReasons(const engine::Run& run, const CriticalPath& path,
                                  const IterationTimes& times);

// How the time along the critical path divides into kinds of work. The times add up to the time
// that the path covers (total()).
struct PathShares
{
    engine::EnumArray<engine::OpKind, std::int64_t, engine::kOpKinds> work{}; // 0 for transfers
    std::int64_t messages = 0, otherTransfers = 0, waits = 0;
    int ops = 0, messageCount = 0; // numbers of ops and messages on the path

    std::int64_t total() const;
};

// How an iteration divides on its busiest device: the work of the device, and the time in which it
// does not work by the reason why its next op has not started. We divide the time of one device and
// not the critical path, because the path leaves the device while it works, so that its reasons
// overlap its work. Steps neither overlap nor leave a gap: `work` and their times add up to the
// iteration.
struct Breakdown
{
    struct Step
    {
        enum class Kind : std::uint8_t {
            Fill,       // before the first op of the device
            Order,      // an op of another device is ready, but that device runs another op first
            Messages,   // of the device
            AllReduces, // of the device
            Copies,     // evicts and loads of the device
            Waits,      // an op is ready and nothing else runs on its device
            Others,     // other devices work on the input of the next op
            Unknown,    // no input of the next op was recorded
            Drain,      // after the last op of the device, without its optimizer step
        };

        Kind kind = Kind::Fill;
        std::int64_t time = 0;
        engine::Window window; // its longest piece

        friend bool operator==(const Step&, const Step&) = default;
    };

    engine::DeviceId device;
    std::int64_t work = 0;
    std::vector<Step> steps; // each kind once, the largest first
};

// Why an iteration is not faster. Computed from its recorded times, without a simulation.
struct Why
{
    CriticalPath path;
    PathShares shares;
    LowerBound bound;
    // Unknown if an op of the iteration was not recorded, if the clocks of the devices disagree, or
    // in a stream (Shape::windows), in which ops of other windows run at the same time.
    std::optional<Breakdown> breakdown;
    // At most kMostReasons, sorted by the start of their windows.
    std::vector<WhyReason> reasons;
    int smaller = 0;              // number of reasons that were left out
    std::int64_t smallerTime = 0; // sum of the times of the reasons that were left out

    static constexpr std::size_t kMostReasons = 6;

    std::int64_t iteration() const { return path.window.duration(); }
    // Returns for each device how many ticks of the path are on its compute lane.
    engine::IdVector<engine::DeviceId, std::int64_t> workOnPath(const engine::Run& run) const;
};

// Fails as criticalPath() does.
engine::Result<Why> whyNotFaster(const engine::Run& run, int iteration = -1);

// The predicted difference of a duration from the recorded one, in ticks; negative is faster. With
// the errors of earlier predictions (kIntervalCovers) it lies between `least` and `most`; all three
// are equal for a simulated run.
struct ChangeEffect
{
    std::int64_t difference = 0, least = 0, most = 0;

    bool isDistinguishable() const { return difference != 0 && (least > 0 || most < 0); }
};

// Simulates the effects of changes to an iteration. Each change is simulated alone, so effects do
// not add up. The simulation has the order and the costs of the iteration (for Chunks: the median
// costs of the run). const functions may be called from several threads. The run must outlive this
// object.
class WhyEffects
{
public:
    WhyEffects(const engine::Run& run, int iteration);

    // Fails if the iteration cannot be simulated, or if the change is not possible.
    engine::Result<ChangeEffect> of(const WhyChange& change) const;
    // The simulated duration without a change, divided by the recorded one. Fails if the iteration
    // cannot be simulated.
    engine::Result<double> accuracy() const;

private:
    engine::Result<ChangeEffect> ofChunks(int chunks) const;
    engine::Result<ChangeEffect> fineEffect(const WhyChange& change) const; // in ticks of m_run
    const engine::Result<WhatIfPredictor>& predictor() const;

    std::shared_ptr<const engine::Run> m_run; // the run, or a copy whose times are in ns
    std::int64_t m_fineness;                  // ticks of m_run for each tick of the run
    engine::Result<OwnReplay> m_replay;
    mutable std::once_flag m_once;
    mutable std::optional<engine::Result<WhatIfPredictor>> m_predictor; // set by predictor()
};

// A synchronous scheme that is predicted to be faster than a run, with its devices, micro-batches
// and measured costs. The predicted run is not kept, because it is as large as the run.
struct FasterScheme
{
    std::string scheme;          // name in the table of schemes
    std::int64_t iteration = 0;  // predicted duration in ticks
    std::int64_t difference = 0; // `iteration` - reported iteration of the run
    // The errors of earlier predictions around `iteration` (kIntervalCovers), in ticks, without the
    // spread of the op times; equal for a simulated run.
    std::int64_t least = 0, most = 0;
    // The largest peak of a device in bytes; known only if the run recorded its memory.
    std::optional<std::int64_t> peakBytes;
    // The differences between prediction and run in the largest peak; `stashes` is in M_a.
    std::optional<std::int64_t> bytes;
    double stashes = 0;

    ChangeEffect effect() const
    {
        const std::int64_t measured = iteration - difference;
        return {difference, least - measured, most - measured};
    }
    // An unknown peak does not fit in a known memory.
    bool fits(const engine::MemoryCapacity& memory) const
    {
        return peakBytes ? memory.holds(static_cast<double>(*peakBytes)) : !memory.isKnown();
    }
};

// Predicts all synchronous schemes and returns those that are faster than the run, the fastest
// first, whether they fit in its memory or not. Fails if the times of the run's stages are not
// known.
engine::Result<std::vector<FasterScheme>> fasterSchemes(const engine::Run& run);
// Returns the first one that fits; nullptr if there is none.
const FasterScheme* firstThatFits(const std::vector<FasterScheme>& schemes,
                                  const engine::MemoryCapacity& memory);
// Predicts one scheme, in the units of the run.
engine::Result<engine::Run> predictedRun(const engine::Run& run, std::string_view scheme);

// Everything that is known about an iteration: its reasons, the simulated effect of each change,
// and the faster schemes.
struct WhyReport
{
    Why why;
    // For each reason; nullopt if it has no change or the change cannot be simulated.
    std::vector<std::optional<ChangeEffect>> effects;
    engine::Result<double> accuracy; // see WhyEffects::accuracy()
    engine::Result<std::vector<FasterScheme>> schemes;
};

enum class WhySchemes { Predict, LeaveOut }; // predictions of all schemes take most of the time
// Fails as criticalPath() does.
engine::Result<WhyReport> whyReport(const engine::Run& run, int iteration = -1,
                                    WhySchemes schemes = WhySchemes::Predict);

} // namespace profiler

#pragma once

#include "profiler/whatif/iteration_times.h"
#include "profiler/why/critical_path.h"

namespace profiler {

// A change whose effect on the iteration can be simulated.
struct WhyChange
{
    enum class Kind : std::uint8_t {
        Chunks,         // interleaved 1F1B with `chunks` chunks
        SplitBackward,  // I and W in place of B; the gradient leaves after I
        Earlier,        // `op` before `other`, its predecessor on the device
        EqualStage,     // ops of kind `opKind` of `stage` take the median of the other stages
        FastLinks,      // messages twice as fast
        NoWaits,        // ops start when they are ready
        FastAllReduces, // all-reduces twice as fast
        NoRecompute,    // RECOMPUTE takes no time
        FastCopies,     // evicts and loads twice as fast
    };

    Kind kind = Kind::NoWaits;
    int chunks = 0;
    std::uint32_t op = 0, other = 0; // OpIndex
    engine::StageId stage;
    engine::OpKind opKind = engine::OpKind::Forward;
    double share = 0; // EqualStage: the duration of the others, divided by that of the stage

    friend bool operator==(const WhyChange&, const WhyChange&) = default;
};

// A reason for the length of the critical path.
struct WhyReason
{
    enum class Kind : std::uint8_t {
        Fill,      // until the last device of the fill starts its first op
        Order,     // an op is ready, but its device runs another op first
        SlowStage, // a stage takes longer than the others for the same work
        Messages,
        Waits, // ops start later than they could
        AllReduces,
        Recompute,
        Copies, // evicts and loads
        Drain,  // after the first device on the path has finished its last op
    };

    Kind kind = Kind::Fill;
    std::int64_t time = 0;          // ticks of the path
    std::vector<std::size_t> parts; // indices into CriticalPath::parts, ascending
    engine::Window window;          // the longest contiguous piece
    engine::DeviceId device;        // of `op`
    std::uint32_t op = 0;           // OpIndex of the op to show
    int count = 1;                  // number of ops or messages on the path
    double excess = 0;              // SlowStage: 0.06 is 6 % longer than the others
    std::optional<WhyChange> change;
};

// The reasons in the order of their windows. Those below 1/600 of the iteration are omitted.
std::vector<WhyReason> whyReasons(const engine::Run& run, const CriticalPath& path,
                                  const IterationTimes& times);

} // namespace profiler

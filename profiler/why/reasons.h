#pragma once

#include "profiler/whatif/iteration_times.h"
#include "profiler/why/critical_path.h"

namespace profiler {

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
    engine::StageId stage;
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
    std::int64_t time = 0;          // ticks of the path that this reason explains
    std::vector<std::size_t> parts; // indices into CriticalPath::parts, ascending
    engine::Window window;          // longest contiguous piece of `parts`
    engine::DeviceId device;        // device of `op`
    std::uint32_t op = 0;           // the op (OpIndex) that represents the reason
    int count = 1;                  // number of ops or messages on the path
    double excess = 0;              // for SlowStage: 0.06 if it takes 6 % longer than the others
    std::optional<WhyChange> change;
};

// Returns the reasons, sorted by the start of their windows. Reasons that take less than 1/600 of
// the iteration are omitted.
std::vector<WhyReason> whyReasons(const engine::Run& run, const CriticalPath& path,
                                  const IterationTimes& times);

} // namespace profiler

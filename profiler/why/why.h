#pragma once

#include "profiler/why/lower_bound.h"
#include "profiler/why/reasons.h"

#include <functional>
#include <memory>
#include <optional>

namespace profiler {

// How the time along the critical path divides into kinds of work. The times add up to the time
// that the path covers (total()).
struct PathShares
{
    engine::EnumArray<engine::OpKind, std::int64_t, engine::kOpKinds> work{}; // 0 for transfers
    std::int64_t messages = 0, otherTransfers = 0, waits = 0;
    int ops = 0, messageCount = 0; // numbers of ops and messages on the path

    std::int64_t total() const;
};

// Why an iteration is not faster. Computed from its recorded times, without a simulation.
struct Why
{
    CriticalPath path;
    PathShares shares;
    LowerBound bound;
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

// Simulates the effects of changes to an iteration. Each change is simulated alone, so effects do
// not add up. The simulation has the order and the costs of the iteration (for Chunks: the median
// costs of the run). const functions may be called from several threads. The run must outlive this
// object.
class WhyEffects
{
public:
    WhyEffects(const engine::Run& run, int iteration);
    ~WhyEffects();
    WhyEffects(WhyEffects&&) noexcept;

    // The change of the duration of the iteration in ticks; negative is faster. Fails if the
    // iteration cannot be simulated, or if the change is not possible.
    engine::Result<std::int64_t> of(const WhyChange& change) const;
    // The simulated duration without a change, divided by the recorded one. Fails if the iteration
    // cannot be simulated.
    engine::Result<double> accuracy() const;

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

// The synchronous scheme that is predicted to be the fastest with the devices, micro-batches and
// measured costs of a run.
struct NextScheme
{
    std::string scheme;          // name in the table of schemes
    std::int64_t iteration = 0;  // predicted duration in ticks
    std::int64_t difference = 0; // `iteration` - reported iteration of the run
    // Differences between prediction and run in the largest peak of a device. `bytes` is known only
    // if the run recorded its memory; `stashes` is in M_a.
    std::optional<std::int64_t> bytes;
    double stashes = 0;
    engine::Run run; // the prediction
};

// Predicts all synchronous schemes and returns the fastest one; nullopt if none is faster than the
// run. `isCancelled` is called before every scheme and may be empty. Fails if the times of the
// run's stages are not known, and with Error::Code::Cancelled if isCancelled() returned true.
engine::Result<std::optional<NextScheme>> nextScheme(const engine::Run& run,
                                                     const std::function<bool()>& isCancelled = {});

} // namespace profiler

#pragma once

#include "engine/cost/cost_model.h"
#include "profiler/whatif/stage_times.h"

#include <functional>

namespace profiler {

// One iteration of a run as input of the simulator: the order of its ops and the cost of each. The
// run must outlive this object; const functions may be called from several threads.
class OwnReplay
{
public:
    struct Step
    {
        engine::Op op;
        std::uint32_t number = 0;   // OpIndex in the run
        std::int64_t delay = 0;     // time for which the op was ready before it started
        engine::OpCosts::Cost cost; // without the delay
    };
    using Program = std::vector<Step>;
    using Programs = engine::IdVector<engine::DeviceId, Program>;
    using Change = std::function<void(Programs&)>;

    // Takes the recorded times of one iteration. Sets Step::delay so that the simulator starts
    // every op at its recorded time. Fails with Error::Code::InvalidArgument if the run is
    // asynchronous (Shape::windows), or if ops of the iteration were not recorded.
    static engine::Result<OwnReplay> create(const engine::Run& run, int iteration);
    // Takes the median of every op over the measured iterations (recordedTimes()), or over the
    // warm-up iterations if there are no measured ones. Fails with Error::Code::InvalidArgument if
    // the run has no iteration or is asynchronous.
    static engine::Result<OwnReplay> ofMedians(const engine::Run& run);

    const Programs& programs() const { return m_programs; }
    std::int64_t recorded() const { return m_recorded; } // recorded duration; 0 for medians
    // The simulated duration without a change.
    std::int64_t simulated() const { return m_timeline.iterations.front().window.duration(); }

    // The simulated duration after a change. Fails if the changed order deadlocks, and with
    // engine::costsTooLarge().
    engine::Result<std::int64_t> with(const Change& change) const;
    // The iteration as a run in mode Simulate, which begins at 0. Its ops keep their OpIndex.
    engine::Run placed() const { return asRun(m_timeline); }
    // Like placed(), after a change. The change may modify costs, but must keep all steps in their
    // places.
    engine::Result<engine::Run> placed(const Change& change) const;

private:
    explicit OwnReplay(const engine::Run& run);
    void takeTimes(const IterationTimes& times);
    engine::OpCosts::Cost messageCost(const IterationTimes& times, std::uint32_t send) const;
    void addDelays(const IterationTimes& times);
    static engine::Result<OwnReplay> simulated(OwnReplay replay);
    engine::Result<engine::Timeline> simulated(const Programs& programs) const;
    engine::Run asRun(engine::Timeline timeline) const;

    const engine::Run* m_run;
    Programs m_programs;
    std::int64_t m_recorded = 0;
    engine::Timeline m_timeline; // simulated without a change
};

} // namespace profiler

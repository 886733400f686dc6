#pragma once

#include "engine/cost/cost_model.h"
#include "profiler/why/iteration_times.h"

#include <functional>

namespace profiler {

// One iteration of a run as input of the simulator: the order of its ops and the recorded cost of
// each. An op's cost includes the time for which it was ready and had not started, so that the
// simulator places every op where it was recorded. The run must outlive this object.
class OwnReplay
{
public:
    struct Step
    {
        engine::Op op;
        std::uint32_t number = 0;   // OpIndex in the run
        std::int64_t delay = 0;     // ready but not started
        engine::OpCosts::Cost cost; // without the delay
    };
    using Program = std::vector<Step>;
    using Programs = engine::IdVector<engine::DeviceId, Program>;
    using Change = std::function<void(Programs&)>;

    // Fails with Error::Code::InvalidArgument if the iteration is a part of a stream, or ops of it
    // were not recorded.
    static engine::Result<OwnReplay> create(const engine::Run& run, int iteration);

    const Programs& programs() const { return m_programs; }
    std::int64_t recorded() const { return m_recorded; }   // duration of the iteration
    std::int64_t simulated() const { return m_simulated; } // by the simulator, without a change

    // The simulated duration after a change. Fails if the changed order deadlocks.
    engine::Result<std::int64_t> with(const Change& change) const;

private:
    OwnReplay(const engine::Run& run, const IterationTimes& times);
    engine::OpCosts::Cost messageCost(const IterationTimes& times, std::uint32_t send) const;
    void addDelays(const IterationTimes& times);
    engine::Result<std::int64_t> simulated(const Programs& programs) const;

    const engine::Run* m_run;
    Programs m_programs;
    std::int64_t m_recorded = 0, m_simulated = 0;
};

} // namespace profiler

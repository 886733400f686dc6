#pragma once

#include "engine/timeline/run.h"

#include <climits>
#include <memory>
#include <span>
#include <vector>

namespace app {

// The predicted next iteration of a growing run.
class Plan
{
public:
    // `run` is a prediction with one iteration, which begins at tick 0, and with the same ops as
    // the run that is being recorded.
    explicit Plan(std::shared_ptr<const engine::Run> run);

    const engine::Run& run() const { return *m_run; }
    std::int64_t duration() const;
    // The compute ops of a device, sorted by time; empty if it has none.
    std::span<const engine::Span> ops(engine::DeviceId device) const;
    int positionOf(std::uint32_t op) const { return static_cast<int>(m_index.positionOf(op)); }

private:
    std::shared_ptr<const engine::Run> m_run;
    engine::OpIndex m_index;
};
using PlanPointer = std::shared_ptr<const Plan>;

struct PlannedOp
{
    engine::DeviceId device;
    engine::Span op; // in ticks of the plan

    friend bool operator==(const PlannedOp&, const PlannedOp&) = default;
};

// A plan at its place on the time axis of the growing run, and the progress of the devices. Does
// not own them.
struct PlanView
{
    const Plan* plan = nullptr; // nullptr: nothing is drawn
    std::int64_t begin = 0;     // start of the planned iteration, in ticks of the growing run
    std::span<const int> devices = {}; // complete ops of each device; empty: unknown
    bool isComplete = false;           // all ops have run, but their times are not known yet

    bool isUnderWay() const { return isComplete || !devices.empty(); }
    // The number of complete ops of a device. The ops of a device run in the planned order.
    int done(engine::DeviceId device) const;
    // The index of the first compute op of a device that has not run; past the end if all have.
    std::size_t next(engine::DeviceId device) const;
    // The planned time up to which all devices have progressed (the minimum over the devices), in
    // ticks of the growing run.
    std::int64_t reached() const;
    engine::Window window() const { return {begin, begin + (plan ? plan->duration() : 0)}; }
    engine::Window windowOf(const engine::Span& op) const
    {
        return {op.begin + begin, op.end + begin};
    }
    // The planned op of a device at a time of the growing run; nullptr: none.
    const engine::Span* at(engine::DeviceId device, double time) const;
};

} // namespace app

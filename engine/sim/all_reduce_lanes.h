#pragma once

#include "engine/schedule/schedule.h"

#include <vector>

namespace engine::sim {

// One op on an all-reduce lane.
struct AllReduceCall
{
    std::uint32_t op = 0; // OpIndex
    std::uint8_t replica = 0;
    StageId stage; // under which it meets others
    std::int64_t issued = 0, duration = 0;
};

// An all-reduce that all its devices have joined: every device that holds the stage takes part from
// `begin` to `end`.
struct AllReduceDone
{
    DeviceId device;
    AllReduceCall call;
    std::int64_t begin = 0, end = 0;
};

// The all-reduce lanes of all devices. Each works off its calls in the order of issue; a stage's
// all-reduce starts when it is first in line on every device that holds the stage.
class AllReduceLanes
{
public:
    // `calls`: how many ALLREDUCE ops each stage has.
    AllReduceLanes(const Schedule& schedule, const std::vector<int>& calls);

    // Whether any device calls for this stage; its optimizer step waits for the result then.
    bool isCalled(StageId stage) const { return m_meetings[index(stage)].expected > 0; }
    // What this call set going; empty while others are awaited.
    const std::vector<AllReduceDone>& issue(DeviceId device, const AllReduceCall& call);
    // No call waits for another device.
    bool isIdle() const;

private:
    struct Lane
    {
        std::vector<AllReduceCall> calls;
        std::size_t head = 0;   // calls before it are done
        std::size_t joined = 0; // calls before it have joined their meeting
        std::int64_t free = 0;
    };
    struct Meeting // of a stage
    {
        int expected = 0, joined = 0;
        std::int64_t begin = 0, duration = 0;
    };

    static std::size_t index(StageId stage) { return static_cast<std::size_t>(stage.value); }
    Lane& lane(DeviceId device) { return m_lanes[static_cast<std::size_t>(device.value)]; }
    void join(Lane& lane);
    void finish(StageId stage);
    void finishOn(DeviceId device, StageId stage);

    const Schedule& m_schedule;
    std::vector<Lane> m_lanes;       // [device]
    std::vector<Meeting> m_meetings; // [stage]
    std::vector<DeviceId> m_toJoin;
    std::vector<StageId> m_complete;
    std::vector<AllReduceDone> m_done;
};

} // namespace engine::sim

#pragma once

#include "engine/schedule/schedule.h"
#include "engine/timeline/timeline.h"

#include <optional>
#include <vector>

namespace engine::sim {

// An op in the all-reduce queue of a device.
struct AllReduceCall
{
    std::uint32_t op = 0; // OpIndex
    std::uint8_t replica = 0;
    StageId stage; // identifies the all-reduce (allReduceStage())
    std::int64_t issued = 0, duration = 0;
    bool isTied = false; // of tied embeddings
};

// An all-reduce that all its devices have reached.
struct AllReduceStart
{
    StageId stage;
    std::int64_t begin = 0, duration = 0;
    bool isTied = false;
};

// A call whose all-reduce is complete. `begin` and `end` are the same for all calls of the
// all-reduce.
struct AllReduceDone
{
    DeviceId device;
    AllReduceCall call;
    std::int64_t begin = 0, end = 0;
};

// The all-reduce queues of all devices, which process their calls in issue order. The all-reduce of
// a stage starts when it is first in the queue of every device that holds the stage. In an
// asynchronous schedule a stage has one all-reduce per update.
class AllReduceQueues
{
public:
    // `calls`: the number of ALLREDUCE ops per all-reduce of a stage.
    AllReduceQueues(const Schedule& schedule, const IdVector<StageId, int>& calls);

    // Whether the schedule has an all-reduce of the stage; if so, the optimizer step waits for its
    // result.
    bool isCalled(StageId stage) const { return m_pending[stage].expected > 0; }
    void issue(DeviceId device, const AllReduceCall& call);
    // Returns the next all-reduce that can start; nullopt if there is none.
    std::optional<AllReduceStart> next();
    // Completes an all-reduce. Other all-reduces of its devices may then start.
    const std::vector<AllReduceDone>& complete(StageId stage, Window window);
    // Whether no call waits for another device.
    bool isIdle() const;

private:
    struct Queue
    {
        std::vector<AllReduceCall> calls;
        std::size_t head = 0;   // number of completed calls
        std::size_t joined = 0; // number of calls that have joined their all-reduce
        std::int64_t free = 0;
    };
    struct PendingAllReduce // the all-reduce of one stage
    {
        int expected = 0, joined = 0;
        std::int64_t begin = 0, duration = 0;
        bool isTied = false;
    };

    void join(Queue& queue);
    void completeOn(DeviceId device, StageId stage, Window window);

    const Schedule& m_schedule;
    IdVector<DeviceId, Queue> m_queues;
    IdVector<StageId, PendingAllReduce> m_pending;
    std::vector<StageId> m_startable;
    std::vector<AllReduceDone> m_done;
};

} // namespace engine::sim

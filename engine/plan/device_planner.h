#pragma once

#include "engine/plan/execution_plan.h"
#include "engine/plan/message_plan.h"

namespace engine {

// Plans the arena of one device.
class DevicePlanner
{
public:
    // `stashes` has the plans of all devices, because a partner may evict stashes to this device.
    DevicePlanner(const ExecutionPlanInput& input, const MessagePlan& messages,
                  const IdVector<DeviceId, StashPlan>& stashes, DeviceId device);

    DevicePlan plan(); // does not plan transfers, which connect() adds

private:
    Extent take(Bytes bytes);
    void takeStages();
    void takeReservations();
    void takeProgram();
    void placeProgram(const StashPlan& own);
    void countFullest(const StashPlan& own);
    void free(const PlannedBuffer& buffer, const StashPlace& place);

    const ExecutionPlanInput& m_input;
    const MessagePlan& m_messages;
    const IdVector<DeviceId, StashPlan>& m_stashes;
    DeviceId m_device;
    DevicePlan m_plan;
    std::vector<StashPlace> m_places; // [buffer of the program]
};

// The plans that all devices share.
struct PlanParts
{
    const Schedule& lowered;
    const HappensBefore& order;
    const MessagePlan& messages;
    const IdVector<DeviceId, StashPlan>& stashes;
};
// Numbers the messages, the EVICT and LOAD copies and the collectives. Sets the fences that every
// op waits for and the slots that it frees.
void connect(const PlanParts& parts, ExecutionPlan& plan);

} // namespace engine

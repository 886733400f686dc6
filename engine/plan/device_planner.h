#pragma once

#include "engine/plan/execution_plan.h"

namespace engine {

// Plans the arena of one device.
class DevicePlanner
{
public:
    // `stashes` has an entry for every device, because stashes of the partner may be evicted to
    // this one.
    DevicePlanner(const ExecutionPlanInput& input, const MessagePlan& messages,
                  const IdVector<DeviceId, StashPlan>& stashes, DeviceId device);

    DevicePlan plan(); // connect() adds the transfers

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

// The plans that are common to all devices.
struct PlanParts
{
    const Schedule& lowered;
    const HappensBefore& order;
    const MessagePlan& messages;
    const IdVector<DeviceId, StashPlan>& stashes;
};
// Numbers the messages, copies and collectives, and sets what every op waits for and posts.
void connect(const PlanParts& parts, ExecutionPlan& plan);

} // namespace engine

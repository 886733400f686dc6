#pragma once

#include "engine/plan/execution_plan.h"

namespace engine {

// Plans the arena of one device.
class DevicePlanner
{
public:
    // `stashes` of all devices, because evicted stashes come from the partner.
    DevicePlanner(const ExecutionPlanInput& input, const MessagePlan& messages,
                  const IdVector<DeviceId, StashPlan>& stashes, DeviceId device);

    DevicePlan plan(); // transfers are connected later

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
    std::vector<StashPlace> m_places; // of each buffer of the program
};

// Shared by the plans of all devices.
struct PlanParts
{
    const Schedule& lowered;
    const HappensBefore& order;
    const MessagePlan& messages;
    const IdVector<DeviceId, StashPlan>& stashes;
};
// Numbers what is sent, copied and reduced, and sets what every op waits for and posts.
void connect(const PlanParts& parts, ExecutionPlan& plan);

} // namespace engine

#include "engine/schedules/parts/program.h"

#include "engine/schedules/parts/limits.h"

namespace engine::parts {

DeviceId loopingDevice(int devices, int stage)
{
    return DeviceId{stage % devices};
}

DeviceId vDevice(int devices, int stage)
{
    const int along = stage % devices;
    return DeviceId{stage / devices % 2 == 0 ? along : devices - 1 - along};
}

Schedule emptySchedule(std::string_view scheme, const Shape& shape, Placement placement)
{
    Schedule schedule;
    schedule.scheme = scheme;
    schedule.shape = shape;
    schedule.program.resize(shape.devices);
    schedule.deviceOf.resize(shape.replicas);
    for (std::size_t replica = 0; replica < schedule.deviceOf.size(); ++replica)
        for (int stage = 0; stage < shape.stages; ++stage) {
            const int down = placement(shape.devices, stage).value;
            schedule.deviceOf[replica].push_back(
                DeviceId{replica == 0 ? down : shape.devices - 1 - down});
        }
    return schedule;
}

Schedule emptySchedule(const ScheduleRequest& request, Placement placement, int directions)
{
    const int chunks = chunksOf(request);
    Schedule schedule = emptySchedule(request.scheme,
                                      {request.devices, request.devices * chunks,
                                       request.microBatches, directions, 1, request.dataParallel},
                                      placement);
    const Scheme& scheme = *findScheme(request.scheme);
    const std::size_t slices = scheme.slices != nullptr ? scheme.slices(request) : 1;
    for (auto& ops : schedule.program)
        ops.reserve(slices * (scheme.splitsBackward ? 3 : 2) * chunks * request.microBatches);
    return schedule;
}

} // namespace engine::parts

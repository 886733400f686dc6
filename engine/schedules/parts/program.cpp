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

Schedule emptySchedule(const ScheduleRequest& request, Placement placement)
{
    Shape shape{request.devices, request.devices * chunksOf(request), request.microBatches};
    shape.dataParallel = request.dataParallel;
    return emptySchedule(request.scheme, shape, placement);
}

} // namespace engine::parts

#include "engine/schedules/parts/alternate.h"

#include "engine/schedules/parts/program.h"

namespace engine::parts {

Schedule oneForwardOneBackward(const ScheduleRequest& request,
                               int (*warmUp)(int devices, int device))
{
    return perDevice(request, loopingDevice, 1, [&](Program& program, int d) {
        alternate(
            request.microBatches, warmUp(request.devices, d), [&](int m) { program.forward(d, m); },
            [&](int m) { program.backward(d, m); });
    });
}

Schedule asynchronousOneForwardOneBackward(const ScheduleRequest& request, int updateEvery,
                                           const VersionRule& version)
{
    Schedule schedule = oneForwardOneBackward(
        request, [](int devices, int device) { return devices - 1 - device; });
    schedule.shape.updateEvery = updateEvery;
    for (const DeviceId d : schedule.program.ids())
        for (Op& op : schedule.program[d])
            op.version = version(request.devices, d.value, op.microBatch.value);
    return schedule;
}

Result<void> checkNoDataParallel(const ScheduleRequest& request)
{
    if (request.dataParallel == 1)
        return {};
    return invalid("{} is asynchronous and has no all-reduce; use data-parallel width 1",
                   request.scheme);
}

} // namespace engine::parts

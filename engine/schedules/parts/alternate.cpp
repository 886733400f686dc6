#include "engine/schedules/parts/alternate.h"

#include "engine/schedules/parts/program.h"

namespace engine::parts {

Schedule oneForwardOneBackward(const ScheduleRequest& request,
                               int (*warmUp)(int devices, int device))
{
    Schedule schedule = emptySchedule(request, loopingDevice);
    for (int d = 0; d < request.devices; ++d) {
        Program program(schedule, d);
        program.reserve(2 * request.microBatches);
        alternate(
            request.microBatches, warmUp(request.devices, d), [&](int m) { program.forward(d, m); },
            [&](int m) { program.backward(d, m); });
    }
    return schedule;
}

} // namespace engine::parts

#include "profiler/import/recognise_scheme.h"

#include "engine/schedules/schemes.h"

#include <algorithm>

namespace profiler {

using namespace engine;

namespace {
// Returns the ops of a device in order, without transfers and optimizer steps, which no scheme
// orders.
std::vector<Op> orderedOps(const Schedule& schedule, DeviceId device)
{
    std::vector<Op> ops;
    for (Op op : schedule.on(device))
        if (op.kind == OpKind::Forward || isBackward(op.kind) || isCopy(op.kind)) {
            op.flags = OpFlag::None;
            op.peer = Op::kNoPeer;
            op.version = 0;
            ops.push_back(op);
        }
    return ops;
}

bool hasOrderOf(const Schedule& schedule, const Schedule& scheme)
{
    if (schedule.deviceOf != scheme.deviceOf)
        return false;
    for (const DeviceId device : schedule.program.ids())
        if (orderedOps(schedule, device) != orderedOps(scheme, device))
            return false;
    return true;
}
} // namespace

RecognisedScheme recogniseScheme(const Schedule& schedule)
{
    constexpr int kMostDevices = 256, kMostMicroBatches = 4096;
    const Shape& shape = schedule.shape;
    if (shape.devices > kMostDevices || shape.microBatches > kMostMicroBatches)
        return {};
    for (const Scheme& scheme : schemes()) {
        ScheduleRequest request;
        request.scheme = scheme.name;
        request.devices = shape.devices;
        request.microBatches = shape.microBatches;
        request.chunks = scheme.chunksFixed ? 0 : shape.chunks();
        const auto built = buildSchedule(request);
        if (built && built->shape.stages == shape.stages && built->shape.replicas == shape.replicas
            && hasOrderOf(schedule, *built))
            return {std::string(scheme.name),
                    std::string(scheme.title.substr(0, scheme.title.find(" (")))};
    }
    return {};
}

} // namespace profiler

#include "engine/schedules/parts/early_units.h"

#include "engine/schedules/parts/due_order.h"
#include "engine/schedules/parts/program.h"
#include "engine/schedules/parts/unit_starts.h"
#include "engine/schedules/parts/v_units.h"

namespace engine::parts {

int mostEarlyStash(const Shape& shape)
{
    return 3 * shape.stages / 2 + shape.chunks() - 2;
}

void writeEarlyUnits(Schedule& schedule)
{
    const int devices = schedule.shape.devices;
    if (schedule.shape.microBatches == devices) {
        writeVUnits(schedule, 1);
        return;
    }
    Schedule unit = emptySchedule(
        schedule.scheme,
        {devices, schedule.shape.stages, devices, 2, 1, schedule.shape.dataParallel}, vDevice);
    writeVUnits(unit, 1);
    const UnitStarts starts(unit);

    DueOrder order;
    for (int m = 0; m < schedule.shape.microBatches; ++m)
        order.replicaOf.push_back(m % devices < devices / 2 ? 0 : 1);
    order.due = [&](bool forward, int stage, int microBatch) {
        const int inUnit = microBatch % devices;
        const std::int64_t begin = std::int64_t{2} * schedule.shape.stages * (microBatch / devices);
        return begin + (forward ? starts.forward(stage, inUnit) : starts.backward(stage, inUnit));
    };
    order.mostStash = mostEarlyStash(schedule.shape);
    writeByDue(schedule, order);
}

} // namespace engine::parts

#include "engine/schedules/parts/delayed_weights.h"

#include "engine/schedules/parts/alternate.h"
#include "engine/schedules/parts/options.h"
#include "engine/schedules/parts/program.h"
#include "engine/schedules/parts/virtual_ids.h"

namespace engine::parts {

Schedule delayedWeights(const ScheduleRequest& request, int group, WeightDelay delay)
{
    const int devices = request.devices;
    const int chunks = chunksOf(request);
    const VirtualIds ids({devices, request.microBatches, chunks, group});
    Schedule schedule = emptySchedule(request, loopingDevice);
    for (int d = 0; d < devices; ++d) {
        const int behind = delay == WeightDelay::Device ? d : 0;
        Program program(schedule, d);
        program.reserve(3 * ids.count());
        const auto weights
            = [&](int k) { program.backwardWeight(ids.backwardStage(k, d), ids.microBatch(k)); };
        alternate(
            ids.count(), (chunks - 1) * group + devices - 1 - d,
            [&](int k) { program.forward(ids.forwardStage(k, d), ids.microBatch(k)); },
            [&](int k) {
                program.backwardInput(ids.backwardStage(k, d), ids.microBatch(k));
                if (k >= behind)
                    weights(k - behind);
            });
        for (int k = std::max(0, ids.count() - behind); k < ids.count(); ++k)
            weights(k);
    }
    return schedule;
}

} // namespace engine::parts

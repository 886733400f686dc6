#include "engine/schedules/parts/delayed_weights.h"

#include "engine/schedules/parts/alternate.h"
#include "engine/schedules/parts/limits.h"
#include "engine/schedules/parts/program.h"

#include <algorithm>

namespace engine::parts {

VirtualIds::VirtualIds(const Sizes& sizes)
    : m_devices(sizes.devices)
    , m_lastChunk(sizes.chunks - 1)
{
    m_table.reserve(sizes.microBatches * static_cast<std::size_t>(sizes.chunks));
    for (int first = 0, past = 0; first < sizes.microBatches; first = past) {
        past = first + std::min(sizes.group, sizes.microBatches - first);
        for (int chunk = 0; chunk < sizes.chunks; ++chunk)
            for (int m = first; m < past; ++m)
                m_table.push_back({m, chunk});
    }
}

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

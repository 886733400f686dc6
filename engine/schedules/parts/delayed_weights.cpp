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
    return perDevice(request, loopingDevice, 1, [&](Program& program, int d) {
        const int behind = delay == WeightDelay::Device ? d : 0;
        const auto append = [&](OpKind kind, int k) {
            const int stage
                = kind == OpKind::Forward ? ids.forwardStage(k, d) : ids.backwardStage(k, d);
            program.append(kind, stage, ids.microBatch(k));
        };
        alternate(
            ids.count(), (chunks - 1) * group + devices - 1 - d,
            [&](int k) { append(OpKind::Forward, k); },
            [&](int k) {
                append(OpKind::BackwardInput, k);
                if (k >= behind)
                    append(OpKind::BackwardWeight, k - behind);
            });
        for (int k = std::max(0, ids.count() - behind); k < ids.count(); ++k)
            append(OpKind::BackwardWeight, k);
    });
}

} // namespace engine::parts

#include "profiler/capture/link_nccl.h"

#include "engine/timeline/kernel_name.h"

#include <algorithm>
#include <utility>

namespace profiler {

using namespace engine;

void NcclLinker::learn(const GpuTrace& trace)
{
    for (const GpuOpLaunch& launch : trace.launches) {
        m_first = std::min(m_first.value_or(launch.window.begin), launch.window.begin);
        const OpKind kind = opAt(m_schedule, m_index, launch.of.op).kind;
        if (isTransfer(kind) || kind == OpKind::AllReduce)
            m_launches.set({m_index.deviceOf(launch.of.op).value, launch.window.begin}, launch);
    }
    for (const GpuCall& call : trace.calls)
        if (!call.of.isKnown())
            m_calls.set(call.correlation, call.window.begin);
}

OpOfIteration NcclLinker::opDuring(std::int64_t device, std::int64_t time) const
{
    for (const auto* launches : m_launches.halves()) {
        const auto after = launches->upper_bound({device, time});
        if (after == launches->begin())
            continue;
        const auto& [key, launch] = *std::prev(after);
        if (key.first == device && time < launch.window.end)
            return launch.of;
    }
    return {};
}

OpOfIteration NcclLinker::opOf(const GpuPlace& place) const
{
    for (const auto* calls : m_calls.halves())
        if (const auto call = calls->find(place.correlation); call != calls->end())
            return opDuring(place.device, call->second);
    return {};
}

void NcclLinker::link(GpuTrace& trace)
{
    learn(trace);
    const auto isUnlinked = [&](const GpuKernel& kernel) {
        return !kernel.of.isKnown() && isNcclKernel(trace.strings.at(kernel.name));
    };
    const auto isOfNoOp = [&](const GpuKernel& kernel) {
        const bool isBefore = !m_first || kernel.window.begin < *m_first;
        const bool isOtherCopys
            = std::cmp_greater_equal(kernel.place.device, m_schedule.shape.devices);
        return isUnlinked(kernel) && (isBefore || isOtherCopys);
    };
    const std::int64_t dropped = std::erase_if(trace.kernels, isOfNoOp);
    std::int64_t linked = 0;
    for (GpuKernel& kernel : trace.kernels)
        if (isUnlinked(kernel)) {
            kernel.of = opOf(kernel.place);
            linked += kernel.of.isKnown() ? 1 : 0;
        }
    trace.health.withoutOp -= dropped + linked;
}

} // namespace profiler

#include "profiler/capture/link_nccl.h"

#include "engine/timeline/kernel_name.h"

#include <algorithm>

namespace profiler {

using namespace engine;

void NcclLinker::learn(const GpuTrace& trace)
{
    for (const GpuOpLaunch& launch : trace.launches) {
        m_first = std::min(m_first.value_or(launch.window.begin), launch.window.begin);
        const OpKind kind = opAt(m_schedule, m_index, launch.of.op).kind;
        if (isTransfer(kind) || kind == OpKind::AllReduce)
            m_launches[{m_index.deviceOf(launch.of.op).value, launch.window.begin}] = launch;
    }
    for (const GpuCall& call : trace.calls)
        if (!call.of.isKnown())
            m_calls[call.correlation] = call.window.begin;
}

OpOfIteration NcclLinker::opOf(const GpuTrace& trace, const GpuKernel& kernel) const
{
    const auto call = m_calls.find(kernel.place.correlation);
    if (call == m_calls.end() || !isNcclKernel(trace.strings.at(kernel.name)))
        return {};
    const std::int64_t device = kernel.place.device;
    const auto after = m_launches.upper_bound({device, call->second});
    if (after == m_launches.begin())
        return {};
    const auto& [key, launch] = *std::prev(after);
    return key.first == device && call->second < launch.window.end ? launch.of : OpOfIteration{};
}

void NcclLinker::link(GpuTrace& trace)
{
    learn(trace);
    const auto isBefore = [&](const GpuKernel& kernel) {
        return !kernel.of.isKnown() && isNcclKernel(trace.strings.at(kernel.name))
            && (!m_first || kernel.window.begin < *m_first);
    };
    const std::int64_t before = std::erase_if(trace.kernels, isBefore);
    std::int64_t linked = 0;
    for (GpuKernel& kernel : trace.kernels)
        if (!kernel.of.isKnown()) {
            kernel.of = opOf(trace, kernel);
            linked += kernel.of.isKnown() ? 1 : 0;
        }
    trace.health.withoutOp -= before + linked;
}

} // namespace profiler

#include "profiler/analysis/kernel_launches.h"

#include "engine/schedule/schedule.h"

#include <set>

namespace profiler {

using namespace engine;

IdVector<DeviceId, double> kernelsPerIteration(const Run& run, const GpuTrace& trace)
{
    const OpIndex index(run.schedule);
    const auto& iterations = run.timeline.iterations;
    IdVector<DeviceId, double> launches(run.schedule.shape.devices);
    std::set<std::uint32_t> seen;
    for (const GpuKernel& kernel : trace.kernels) {
        const auto [op, iteration] = kernel.of;
        if (op >= index.count() || iteration >= iterations.size()
            || iterations[iteration].kind != Iteration::Kind::Measured)
            continue;
        seen.insert(iteration);
        ++launches[index.deviceOf(op)];
    }
    if (seen.empty())
        return {};
    for (double& each : launches)
        each /= seen.size();
    return launches;
}

} // namespace profiler

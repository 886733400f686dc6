#include "profiler/analysis/kernel_launches.h"

#include "engine/schedule/schedule.h"

#include <set>

namespace profiler {

using namespace engine;

std::vector<double> kernelsPerIteration(const Run& run, const GpuTrace& trace)
{
    const OpIndex index(run.schedule);
    const auto& iterations = run.timeline.iterations;
    std::vector<double> launches(static_cast<std::size_t>(run.schedule.shape.devices));
    std::set<std::uint32_t> seen;
    for (const GpuKernel& kernel : trace.kernels) {
        const auto [op, iteration] = kernel.of;
        if (op >= index.count() || iteration >= iterations.size()
            || iterations[iteration].kind != Iteration::Kind::Measured)
            continue;
        seen.insert(iteration);
        ++launches[static_cast<std::size_t>(index.deviceOf(op).value)];
    }
    if (seen.empty())
        return {};
    for (double& each : launches)
        each /= static_cast<double>(seen.size());
    return launches;
}

} // namespace profiler

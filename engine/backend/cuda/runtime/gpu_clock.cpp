#include "engine/backend/cuda/runtime/device.h"
#include "engine/backend/cuda/runtime/stream.h"
#include "engine/base/clock.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace engine::cuda {

GpuClock::GpuClock(int gpu, const Partition* partition)
    : m_gpu(gpu)
    , m_stream(gpu, partition, fmt::format("GPU {}: clock", gpu))
{
    const OnGpu on(gpu);
    const EventsFor made(partition);
    for (cudaEvent_t& each : m_tries)
        check(cudaEventCreate(&each), "cudaEventCreate");
    anchor();
}

GpuClock::~GpuClock()
{
    for (cudaEvent_t each : m_tries)
        cudaEventDestroy(each);
}

void GpuClock::anchor()
{
    const OnGpu on(m_gpu);
    std::int64_t closest = std::numeric_limits<std::int64_t>::max();
    for (cudaEvent_t each : m_tries) {
        const std::int64_t before = wallTime();
        check(cudaEventRecord(each, m_stream.get()), "cudaEventRecord");
        check(cudaEventSynchronize(each), "cudaEventSynchronize");
        const std::int64_t after = wallTime();
        if (after - before < closest) {
            closest = after - before;
            m_anchor = each;
            m_time = before + closest / 2;
        }
    }
}

std::int64_t GpuClock::timeOf(cudaEvent_t event) const
{
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, m_anchor, event), "cudaEventElapsedTime");
    return m_time + std::llround(static_cast<double>(milliseconds) * 1e6);
}

} // namespace engine::cuda

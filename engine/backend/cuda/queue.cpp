#include "engine/backend/cuda/queue.h"

#include "engine/backend/cuda/operations.h"
#include "engine/base/check.h"

namespace engine::cuda {

CudaEvent::CudaEvent(int gpu, const GpuClock& clock, Timed timed)
    : m_clock(clock)
{
    const OnGpu on(gpu);
    const unsigned flags = timed == Timed::Yes ? cudaEventDefault : cudaEventDisableTiming;
    check(cudaEventCreateWithFlags(&m_event, flags), "an event");
}

CudaEvent::~CudaEvent()
{
    cudaEventDestroy(m_event);
}

bool CudaEvent::hasPassed() const
{
    const cudaError_t status = cudaEventQuery(m_event);
    if (status != cudaErrorNotReady)
        check(status, "work of the device");
    return status == cudaSuccess;
}

std::int64_t CudaEvent::time() const
{
    return m_clock.timeOf(m_event);
}

void CudaQueue::record(DeviceEvent& event)
{
    check(cudaEventRecord(static_cast<CudaEvent&>(event).get(), m_stream), "an event");
}

void CudaQueue::wait(const DeviceEvent& event)
{
    check(cudaStreamWaitEvent(m_stream, static_cast<const CudaEvent&>(event).get(), 0),
          "waiting for an event");
}

void CudaQueue::copy(const DeviceCopy& copy)
{
    CHECK(copy.source.size() == copy.target.size());
    const OnGpu on(m_gpu);
    if (copy.from == copy.to)
        check(cudaMemcpyAsync(copy.target.data(), copy.source.data(), copy.source.size(),
                              cudaMemcpyDeviceToDevice, m_stream),
              "copy");
    else
        check(cudaMemcpyPeerAsync(copy.target.data(), copy.to, copy.source.data(), copy.from,
                                  copy.source.size(), m_stream),
              "copy between GPUs");
}

void CudaQueue::add(std::span<const float> x, std::span<float> y)
{
    const OnGpu on(m_gpu);
    cuda::add({.stream = m_stream}, x, y);
}

void CudaQueue::add(std::span<const std::int64_t> x, std::span<std::int64_t> y)
{
    const OnGpu on(m_gpu);
    cuda::addIntegers({.stream = m_stream}, x, y);
}

} // namespace engine::cuda

#include "engine/backend/cuda/runtime/queue.h"

#include "engine/backend/cuda/kernels/operations.h"
#include "engine/base/check.h"

#include <cmath>

namespace engine::cuda {
namespace {

class CudaGraph final : public DeviceGraph
{
public:
    explicit CudaGraph(cudaGraphExec_t executable)
        : m_executable(executable)
    { }
    ~CudaGraph() override { cudaGraphExecDestroy(m_executable); }

    cudaGraphExec_t get() const { return m_executable; }

private:
    cudaGraphExec_t m_executable;
};

} // namespace

CudaEvent::CudaEvent(int gpu, const Partition* partition, const GpuClock& clock, Timed timed)
    : m_clock(clock)
{
    const OnGpu on(gpu);
    const EventsFor made(partition);
    const unsigned flags = timed == Timed::Yes ? cudaEventDefault : cudaEventDisableTiming;
    check(cudaEventCreateWithFlags(&m_event, flags), "cudaEventCreateWithFlags");
}

CudaEvent::~CudaEvent()
{
    cudaEventDestroy(m_event);
}

bool CudaEvent::hasPassed() const
{
    const cudaError_t status = cudaEventQuery(m_event);
    if (status != cudaErrorNotReady)
        check(status, "cudaEventQuery");
    return status == cudaSuccess;
}

std::int64_t CudaEvent::time() const
{
    return m_clock.timeOf(m_event);
}

std::int64_t CudaEvent::nanosecondsSince(const DeviceEvent& begin) const
{
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, static_cast<const CudaEvent&>(begin).get(), m_event),
          "cudaEventElapsedTime");
    return std::llround(static_cast<double>(milliseconds) * 1e6);
}

void CudaQueue::record(DeviceEvent& event)
{
    check(cudaEventRecord(static_cast<CudaEvent&>(event).get(), m_stream), "cudaEventRecord");
}

void CudaQueue::wait(const DeviceEvent& event)
{
    check(cudaStreamWaitEvent(m_stream, static_cast<const CudaEvent&>(event).get(), 0),
          "cudaStreamWaitEvent");
}

void CudaQueue::copy(const DeviceCopy& copy)
{
    CHECK(copy.source.size() == copy.target.size());
    const OnGpu on(m_gpu);
    if (copy.from == copy.to)
        check(cudaMemcpyAsync(copy.target.data(), copy.source.data(), copy.source.size(),
                              cudaMemcpyDefault, m_stream),
              "cudaMemcpyAsync");
    else
        check(cudaMemcpyPeerAsync(copy.target.data(), copy.to, copy.source.data(), copy.from,
                                  copy.source.size(), m_stream),
              "cudaMemcpyPeerAsync");
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

std::unique_ptr<DeviceGraph> CudaQueue::capture(const std::function<void()>& work)
{
    const OnGpu on(m_gpu);
    // The thread-local mode allows other threads to allocate and synchronize during the capture.
    check(cudaStreamBeginCapture(m_stream, cudaStreamCaptureModeThreadLocal),
          "cudaStreamBeginCapture");
    cudaGraph_t graph = nullptr;
    try {
        work();
    } catch (...) {
        cudaStreamEndCapture(m_stream, &graph); // ends the capture, so that the stream is usable
        if (graph != nullptr)
            cudaGraphDestroy(graph);
        throw;
    }
    check(cudaStreamEndCapture(m_stream, &graph), "cudaStreamEndCapture");
    cudaGraphExec_t executable = nullptr;
    const cudaError_t status = cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphDestroy(graph);
    check(status, "cudaGraphInstantiate");
    return std::make_unique<CudaGraph>(executable);
}

void CudaQueue::launch(const DeviceGraph& graph)
{
    const OnGpu on(m_gpu);
    check(cudaGraphLaunch(static_cast<const CudaGraph&>(graph).get(), m_stream), "cudaGraphLaunch");
}

} // namespace engine::cuda

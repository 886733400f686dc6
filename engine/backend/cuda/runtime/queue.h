#pragma once

#include "engine/backend/cuda/runtime/device.h"
#include "engine/backend/device_queue.h"

namespace engine::cuda {

class CudaEvent final : public DeviceEvent
{
public:
    enum class Timed : bool { No, Yes };
    // The event is for streams of `partition`, or of the whole GPU if nullptr. Partition and clock
    // must outlive the event.
    CudaEvent(int gpu, const Partition* partition, const GpuClock& clock, Timed timed);
    ~CudaEvent() override;

    bool hasPassed() const override;
    std::int64_t time() const override;
    std::int64_t nanosecondsSince(const DeviceEvent& begin) const override;
    cudaEvent_t get() const { return m_event; }

private:
    const GpuClock& m_clock;
    cudaEvent_t m_event = nullptr;
};

// A DeviceQueue (engine/backend/device_queue.h) on an existing stream, which it does not own.
class CudaQueue : public DeviceQueue
{
public:
    CudaQueue(int gpu, cudaStream_t stream)
        : m_gpu(gpu)
        , m_stream(stream)
    { }

    void record(DeviceEvent& event) override;
    void wait(const DeviceEvent& event) override;
    void copy(const DeviceCopy& copy) override;
    void add(std::span<const float> x, std::span<float> y) override;
    void add(std::span<const std::int64_t> x, std::span<std::int64_t> y) override;
    std::unique_ptr<DeviceGraph> capture(const std::function<void()>& work) override;
    void launch(const DeviceGraph& graph) override;
    cudaStream_t get() const { return m_stream; }

private:
    int m_gpu;
    cudaStream_t m_stream;
};

// A DeviceQueue that owns its stream.
class OwnQueue final : public CudaQueue
{
public:
    OwnQueue(int gpu, std::unique_ptr<Stream> stream)
        : CudaQueue(gpu, stream->get())
        , m_stream(std::move(stream))
    { }

private:
    std::unique_ptr<Stream> m_stream;
};

} // namespace engine::cuda

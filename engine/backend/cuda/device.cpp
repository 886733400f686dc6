// A GPU behind the seam (engine/backend/device.h): a stream, its scratch, and the kernels on them.
#include "engine/backend/cuda/blas_lt.h"
#include "engine/backend/cuda/kernels.h"
#include "engine/backend/cuda/launch.h"
#include "engine/backend/cuda_device.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <cmath>
#include <new>
#include <vector>

namespace engine::cuda {
namespace {

// Memory of the current device; given back wherever the pointer goes out of scope.
DeviceMemory take(std::size_t bytes)
{
    void* memory = nullptr;
    const cudaError_t status = cudaMalloc(&memory, bytes);
    if (status == cudaErrorMemoryAllocation)
        throw std::bad_alloc();
    check(status, "allocation");
    return {static_cast<std::byte*>(memory), [](std::byte* taken) { cudaFree(taken); }};
}

// A stream that does not wait for the default one, which nothing here uses.
class Stream
{
public:
    Stream() { check(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking), "a stream"); }
    ~Stream() { cudaStreamDestroy(m_stream); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    cudaStream_t get() const { return m_stream; }

private:
    cudaStream_t m_stream = nullptr;
};

// Events with times, made when a slot is first used.
class Stamps
{
public:
    Stamps() = default;
    ~Stamps()
    {
        for (cudaEvent_t event : m_events)
            cudaEventDestroy(event);
    }
    Stamps(const Stamps&) = delete;
    Stamps& operator=(const Stamps&) = delete;

    void record(std::size_t slot, cudaStream_t stream)
    {
        while (m_events.size() <= slot)
            check(cudaEventCreate(&m_events.emplace_back()), "an event");
        check(cudaEventRecord(m_events[slot], stream), "an event");
    }
    std::int64_t nanoseconds(std::size_t from, std::size_t to) const
    {
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, m_events.at(from), m_events.at(to)), "a time");
        return std::llround(static_cast<double>(milliseconds) * 1e6);
    }

private:
    std::vector<cudaEvent_t> m_events;
};

class CudaDevice final : public Device
{
public:
    explicit CudaDevice(int index)
        : m_index(select(index))
        , m_scratch(take(Lane::kScratch))
        , m_lane{m_stream.get(), reinterpret_cast<float*>(m_scratch.get())}
        , m_products(makeBlasLt(0))
        , m_kernels(makeKernels(m_lane, *m_products))
    { }
    ~CudaDevice() override
    {
        cudaSetDevice(m_index);
        cudaStreamSynchronize(m_lane.stream);
    }

    DeviceInfo info() const override
    {
        select(m_index);
        cudaDeviceProp properties{};
        check(cudaGetDeviceProperties(&properties, m_index), "properties");
        std::size_t available = 0, total = 0;
        check(cudaMemGetInfo(&available, &total), "memory");
        return {fmt::format("{}, {} SMs", properties.name, properties.multiProcessorCount),
                "cuBLASLt, fp32 without tf32", static_cast<Bytes>(available)};
    }
    const Kernels<float>& kernels() const override { return *m_kernels; }

    DeviceMemory allocate(Bytes bytes) const override
    {
        select(m_index);
        return take(static_cast<std::size_t>(bytes));
    }
    void upload(std::span<const std::byte> from, std::byte* to) const override
    {
        copy(from.data(), to, from.size(), cudaMemcpyHostToDevice);
    }
    void download(const std::byte* from, std::span<std::byte> to) const override
    {
        copy(from, to.data(), to.size(), cudaMemcpyDeviceToHost);
    }
    void fill(std::span<std::byte> memory, std::byte value) const override
    {
        check(cudaMemsetAsync(memory.data(), static_cast<int>(value), memory.size(), m_lane.stream),
              "fill");
    }
    void stamp(std::size_t slot) const override { m_stamps.record(slot, m_lane.stream); }
    std::int64_t nanoseconds(std::size_t from, std::size_t to) const override
    {
        return m_stamps.nanoseconds(from, to);
    }
    void synchronize() const override
    {
        check(cudaStreamSynchronize(m_lane.stream), "waiting for the device");
    }

private:
    // Of the calling thread: what is made from here on is made there.
    static int select(int index)
    {
        check(cudaSetDevice(index), "choice of the device");
        return index;
    }
    void copy(const void* from, void* to, std::size_t bytes, cudaMemcpyKind kind) const
    {
        check(cudaMemcpyAsync(to, from, bytes, kind, m_lane.stream), "copy");
        synchronize();
    }

    int m_index;
    Stream m_stream;
    DeviceMemory m_scratch;
    Lane m_lane;
    std::unique_ptr<Products> m_products;
    std::unique_ptr<Kernels<float>> m_kernels;
    mutable Stamps m_stamps;
};

} // namespace
} // namespace engine::cuda

extern "C" __attribute__((visibility("default"))) engine::Device*
bubblescope_cuda_open(int index, std::string* reason)
try {
    return new engine::cuda::CudaDevice(index);
} catch (const std::bad_alloc&) {
    *reason = fmt::format("GPU {} has no memory left for its workspace", index);
    return nullptr;
} catch (const std::exception& error) {
    *reason = fmt::format("GPU {} does not start: {}", index, error.what());
    return nullptr;
}

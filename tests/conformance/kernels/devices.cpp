#include "tests/conformance/kernels/devices.h"

#include "engine/backend/cuda/blas_lt.h"
#include "engine/backend/cuda/kernels.h"
#include "engine/backend/cuda_device.h"

#include <new>

namespace kernel_test {
namespace {

using namespace engine;

class PlayedDevice final : public Device
{
public:
    PlayedDevice()
        : m_scratch(PlayedDevice::allocate(static_cast<Bytes>(cuda::Lane::kScratch)))
        , m_lane{reinterpret_cast<cudaStream_t>(this), // some lane: the default one is refused
                 reinterpret_cast<float*>(m_scratch.get())}
        , m_products(cuda::makeBlasLt(0))
        , m_kernels(cuda::makeKernels(m_lane, *m_products))
    { }

    DeviceInfo info() const override { return {"CUDA kernels on the CPU", "plain loops", 0}; }
    const Kernels<float>& kernels() const override { return *m_kernels; }
    DeviceMemory allocate(Bytes bytes) const override
    {
        void* memory = nullptr;
        if (cudaMalloc(&memory, static_cast<std::size_t>(bytes)) != cudaSuccess)
            throw std::bad_alloc();
        return {static_cast<std::byte*>(memory), [](std::byte* taken) { cudaFree(taken); }};
    }
    void upload(std::span<const std::byte> from, std::byte* to) const override
    {
        cudaMemcpyAsync(to, from.data(), from.size(), cudaMemcpyHostToDevice, m_lane.stream);
    }
    void download(const std::byte* from, std::span<std::byte> to) const override
    {
        cudaMemcpyAsync(to.data(), from, to.size(), cudaMemcpyDeviceToHost, m_lane.stream);
    }
    void fill(std::span<std::byte> memory, std::byte value) const override
    {
        cudaMemsetAsync(memory.data(), static_cast<int>(value), memory.size(), m_lane.stream);
    }
    void stamp(std::size_t slot) const override { cpu()->stamp(slot); }
    std::int64_t nanoseconds(std::size_t from, std::size_t to) const override
    {
        return cpu()->nanoseconds(from, to);
    }
    void synchronize() const override { }

private:
    DeviceMemory m_scratch;
    cuda::Lane m_lane;
    std::unique_ptr<cuda::Products> m_products;
    std::unique_ptr<Kernels<float>> m_kernels;
};

} // namespace

std::shared_ptr<const CpuDevice> cpu()
{
    static const std::shared_ptr<const CpuDevice> kDevice = openCpuDevice().value();
    return kDevice;
}

std::shared_ptr<const Device> playedCuda()
{
    static const auto kDevice = std::make_shared<const PlayedDevice>();
    return kDevice;
}

const Result<std::shared_ptr<const Device>>& gpu()
{
    static const auto kDevice = openCudaDevice();
    return kDevice;
}

} // namespace kernel_test

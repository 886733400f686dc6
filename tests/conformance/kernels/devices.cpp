#include "tests/conformance/kernels/devices.h"

#include "engine/backend/cpu/operations.h"
#include "engine/backend/cuda/kernels.h"
#include "engine/backend/cuda_device.h"

#include <algorithm>

namespace kernel_test {
namespace {

using namespace engine;

template<class Real>
Matrix<Real> moved(const Matrix<Real>& matrix, std::ptrdiff_t numbers)
{
    return {matrix.data + numbers, matrix.rows, matrix.columns, matrix.stride};
}

class CpuProducts final : public cuda::Products
{
public:
    void multiply(const cuda::Lane&, const cuda::BatchedMatmul& op) override
    {
        for (int i = 0; i < op.count; ++i) {
            Matmul<float> one = op.first;
            one.a = moved(one.a, i * op.strideA);
            one.b = moved(one.b, i * op.strideB);
            one.c = moved(one.c, i * op.strideC);
            cpu::matmul(one);
        }
    }
};

class PlayedDevice final : public Device
{
public:
    PlayedDevice()
        : m_scratch(cpu()->allocate(static_cast<Bytes>(cuda::Lane::kScratch)))
        , m_lane{reinterpret_cast<cudaStream_t>(this), // some lane: the default one is refused
                 reinterpret_cast<float*>(m_scratch.get())}
        , m_kernels(cuda::makeKernels(m_lane, m_products))
    { }

    DeviceInfo info() const override { return {"CUDA kernels on the CPU", "OpenBLAS", 0}; }
    const Kernels<float>& kernels() const override { return *m_kernels; }
    DeviceMemory allocate(Bytes bytes) const override { return cpu()->allocate(bytes); }
    void upload(std::span<const std::byte> from, std::byte* to) const override
    {
        std::ranges::copy(from, to);
    }
    void download(const std::byte* from, std::span<std::byte> to) const override
    {
        std::copy_n(from, to.size(), to.begin());
    }
    void synchronize() const override { }

private:
    CpuProducts m_products;
    DeviceMemory m_scratch;
    cuda::Lane m_lane;
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

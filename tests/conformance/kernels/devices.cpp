#include "tests/conformance/kernels/devices.h"

#include "engine/backend/cuda/device.h"
#include "engine/backend/cuda_device.h"

#include <utility>

namespace kernel_test {

using namespace engine;

std::shared_ptr<const CpuDevice> cpu()
{
    static const std::shared_ptr<const CpuDevice> kDevice = openCpuDevice().value();
    return kDevice;
}

std::shared_ptr<const Device> playedCuda()
{
    static const std::shared_ptr<const Device> kDevice = std::move(cuda::makeDevices(1).front());
    return kDevice;
}

const Result<std::shared_ptr<const Device>>& gpu()
{
    static const auto kDevice = openCudaDevice();
    return kDevice;
}

} // namespace kernel_test

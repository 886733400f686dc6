#include "tests/conformance/kernels/devices.h"

#include "engine/backend/cuda/runtime/device.h"
#include "engine/backend/cuda_device.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <utility>

namespace kernel_test {

using namespace engine;

std::shared_ptr<const CpuDevice> cpu()
{
    // Beside a GPU, shapes of real models: their sums in double want all cores.
    static const int kThreads = gpu() ? static_cast<int>(std::thread::hardware_concurrency()) : 1;
    static const std::shared_ptr<const CpuDevice> kDevice
        = openCpuDevice(std::max(kThreads, 1)).value();
    return kDevice;
}

std::shared_ptr<const Device> emulatedCuda()
{
    static const std::shared_ptr<const Device> kDevice = std::move(cuda::makeDevices(1).front());
    return kDevice;
}

bool isEmulated()
{
    const char* devices = std::getenv("KERNEL_DEVICES");
    return devices == nullptr || std::string_view(devices) != "gpu";
}

const Result<std::shared_ptr<const Device>>& gpu()
{
    static const auto kDevice = openCudaDevice();
    return kDevice;
}

} // namespace kernel_test

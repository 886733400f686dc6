#include "engine/backend/cuda_device.h"

#include "engine/backend/cuda_plugin.h"
#include "engine/backend/cuda_report.h"

namespace engine {
namespace {

constexpr const char* kOldPlugin
    = "the CUDA plug-in has no devices: rebuild it together with this program";

} // namespace

Result<std::shared_ptr<const Device>> openCudaDevice(int index)
{
    if (const CudaReport report = cudaReport(); !report.reason.empty())
        return fail(Error::Code::Unsupported, report.reason);
    const auto open = cudaPlugin().symbol<CudaOpenFunction>(kCudaOpenSymbol);
    std::string reason = kOldPlugin;
    Device* device = open == nullptr ? nullptr : open(index, &reason);
    if (device == nullptr)
        return fail(Error::Code::Unsupported, reason);
    return std::shared_ptr<const Device>(device);
}

Result<std::vector<std::shared_ptr<const Device>>> openCudaDevices(int count,
                                                                   TransportChoice transport)
{
    if (const CudaReport report = cudaReport(); !report.reason.empty())
        return fail(Error::Code::Unsupported, report.reason);
    const auto open = cudaPlugin().symbol<CudaOpenDevicesFunction>(kCudaOpenDevicesSymbol);
    std::string reason = kOldPlugin;
    std::vector<Device*> devices;
    if (open == nullptr || !open(count, transport, &devices, &reason))
        return fail(Error::Code::Unsupported, reason);
    std::vector<std::shared_ptr<const Device>> owned;
    for (Device* device : devices)
        owned.emplace_back(device);
    return owned;
}

} // namespace engine

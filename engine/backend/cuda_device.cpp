#include "engine/backend/cuda_device.h"

#include "engine/backend/cuda_report.h"
#include "engine/base/result.h"
#include "engine/base/toolkit_library.h"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

namespace engine {
namespace {

constexpr const char* kPlugin = "libbubblescope_cuda.so";

CudaPlugin load()
{
    CudaPlugin found;
    found.file = pluginFile(kPlugin);
    if (found.file.empty()) {
        found.reason
            = fmt::format("this build has no CUDA plug-in ({}): install the CUDA toolkit 12.4 or "
                          "newer and build again",
                          kPlugin);
        return found;
    }
    found.library = dlopen(found.file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (found.library == nullptr)
        found.reason = fmt::format("the CUDA plug-in cannot be loaded: {}", dlerror());
    return found;
}

constexpr const char* kOldPlugin
    = "the CUDA plug-in has no devices: rebuild it together with this program";

struct Variable
{
    const char *name, *value;
};
constexpr Variable kVariables[]{{"CUDA_DEVICE_MAX_CONNECTIONS", "32"},
                                {"CUDA_MODULE_LOADING", "EAGER"},
                                {"NCCL_RUNTIME_CONNECT", "0"}};

} // namespace

const CudaPlugin& cudaPlugin()
{
    static const CudaPlugin kFound = load();
    return kFound;
}

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

void setCudaEnvironment()
{
    for (const Variable& each : kVariables)
        setenv(each.name, each.value, 0);
}

Result<MakeCommunicators> openNccl(const std::atomic<bool>& cancel)
{
    const CudaPlugin& plugin = cudaPlugin();
    if (plugin.library == nullptr)
        return fail(Error::Code::Unsupported, plugin.reason);
    const auto look = plugin.symbol<CudaNcclFunction>(kCudaNcclSymbol);
    const auto join = plugin.symbol<CudaJoinFunction>(kCudaJoinSymbol);
    std::string reason
        = "the CUDA plug-in has no NCCL support: rebuild it together with this program";
    if (look == nullptr || join == nullptr || !look(&reason))
        return fail(Error::Code::Unsupported, reason);
    return [join, &cancel](const IdVector<DeviceId, const Device*>& devices,
                           const std::vector<CommunicatorPlan>& plans) {
        std::string why;
        std::unique_ptr<DeviceCommunicators> made(join(devices, plans, cancel, &why));
        if (made == nullptr && cancel.load(std::memory_order_relaxed))
            throw Cancelled(why);
        if (made == nullptr)
            throw std::runtime_error(why);
        return made;
    };
}

} // namespace engine

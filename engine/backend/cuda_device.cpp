#include "engine/backend/cuda_device.h"

#include "engine/backend/cuda_plugin.h"
#include "engine/backend/cuda_report.h"

namespace engine {

Result<std::shared_ptr<const Device>> openCudaDevice(int index)
{
    if (const CudaReport report = cudaReport(); !report.reason.empty())
        return fail(Error::Code::Unsupported, report.reason);
    const auto open = cudaPlugin().symbol<CudaOpenFunction>(kCudaOpenSymbol);
    std::string reason = "the CUDA plug-in opens no device: build it together with this program";
    Device* device = open == nullptr ? nullptr : open(index, &reason);
    if (device == nullptr)
        return fail(Error::Code::Unsupported, reason);
    return std::shared_ptr<const Device>(device);
}

} // namespace engine

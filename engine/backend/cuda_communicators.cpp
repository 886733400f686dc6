#include "engine/backend/cuda_communicators.h"

#include "engine/backend/cuda_plugin.h"
#include "engine/base/cancelled.h"

#include <stdexcept>

namespace engine {

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

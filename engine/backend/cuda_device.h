#pragma once

#include "engine/backend/communicators.h"
#include "engine/backend/device.h"
#include "engine/backend/device_placement.h"
#include "engine/base/result.h"

#include <dlfcn.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace engine {

// The plug-in libbubblescope_cuda.so, which pluginFile() finds (toolkit_library.h). It is loaded on
// first use and never unloaded.
struct CudaPlugin
{
    void* library = nullptr;
    std::string file;
    std::string reason; // why the plug-in is not available, one sentence

    template<class Function>
    Function symbol(const char* name) const
    {
        return reinterpret_cast<Function>(dlsym(library, name)); // NOLINT: POSIX defines this cast
    }
};
const CudaPlugin& cudaPlugin();

// Opens the GPU with this index among the visible ones; its kernels run on one stream. Fails with
// Error::Code::Unsupported; the message has the reason in one sentence. The plug-in that creates
// the object stays loaded.
Result<std::shared_ptr<const Device>> openCudaDevice(int index = 0);

// A symbol of the plug-in, which has the same build as the program (cuda_report.h). Returns a
// device that the caller owns. On failure, returns nullptr and sets `reason`.
using CudaOpenFunction = Device* (*)(int index, std::string* reason);
constexpr const char* kCudaOpenSymbol = "bubblescope_cuda_open";

// Opens devices that run concurrently: one GPU each, or equal partitions of the GPUs
// (device_placement.h). The properties of the first device apply to all. Fails with
// Error::Code::Unsupported; the message has the reason in one sentence.
Result<std::vector<std::shared_ptr<const Device>>>
openCudaDevices(int count, TransportChoice transport = TransportChoice::Auto);

// openCudaDevices() as a symbol of the plug-in. Returns whether it succeeded. On success, `devices`
// receives devices that the caller owns; on failure, `reason` is set.
using CudaOpenDevicesFunction = bool (*)(int count, TransportChoice transport,
                                         std::vector<Device*>* devices, std::string* reason);
constexpr const char* kCudaOpenDevicesSymbol = "bubblescope_cuda_open_devices";

// Sets environment variables of the CUDA driver and NCCL unless the user has set them:
// CUDA_DEVICE_MAX_CONNECTIONS=32 (otherwise streams of different devices share a hardware queue and
// wait for each other), CUDA_MODULE_LOADING=EAGER (no kernel is loaded while an op is timed) and
// NCCL_RUNTIME_CONNECT=0 (ranks connect when they join, not at their first all-reduce). Call it in
// the worker, not in the window, and before any thread or CUDA call.
void setCudaEnvironment();

// Joins NCCL communicators between the GPUs of openCudaDevices(). `cancel` stops joining; it must
// outlive the result. Fails with Error::Code::Unsupported if NCCL is not available.
Result<MakeCommunicators> openNccl(const std::atomic<bool>& cancel);

// Symbols of the plug-in, which has the same build as the program (cuda_report.h). The first
// returns whether NCCL is available. The second returns communicators that the caller owns, or
// nullptr. Both set `reason` on failure.
using CudaNcclFunction = bool (*)(std::string* reason);
constexpr const char* kCudaNcclSymbol = "bubblescope_cuda_nccl";
using CudaJoinFunction
    = DeviceCommunicators* (*)(const IdVector<DeviceId, const Device*>& devices,
                               const std::vector<CommunicatorPlan>& plans,
                               const std::atomic<bool>& cancel, std::string* reason);
constexpr const char* kCudaJoinSymbol = "bubblescope_cuda_join";

} // namespace engine

#pragma once

#include "engine/backend/device.h"
#include "engine/backend/device_placement.h"
#include "engine/base/result.h"

#include <memory>
#include <vector>

namespace engine {

// The GPU with this index among the visible ones; its kernels run on one stream. Unsupported
// gives the reason in one sentence. The plug-in that creates the object stays loaded.
Result<std::shared_ptr<const Device>> openCudaDevice(int index = 0);

// A symbol of the plug-in: returns a device owned by the caller, or null and the reason. Both
// sides have the same build (cuda_report.h).
using CudaOpenFunction = Device* (*)(int index, std::string* reason);
constexpr const char* kCudaOpenSymbol = "bubblescope_cuda_open";

// Devices that run concurrently: one GPU each, or equal partitions of the GPUs
// (device_placement.h). Unsupported gives the reason in one sentence. Properties of the first
// device hold for all.
Result<std::vector<std::shared_ptr<const Device>>> openCudaDevices(int count,
                                                                   Carrier carrier = Carrier::Auto);

// The plug-in's version: returns false and the reason, or devices owned by the caller.
using CudaOpenDevicesFunction
    = bool (*)(int count, Carrier carrier, std::vector<Device*>* devices, std::string* reason);
constexpr const char* kCudaOpenDevicesSymbol = "bubblescope_cuda_open_devices";

} // namespace engine

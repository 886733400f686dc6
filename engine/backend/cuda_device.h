#pragma once

#include "engine/backend/device.h"
#include "engine/backend/device_placement.h"
#include "engine/base/result.h"

#include <memory>
#include <vector>

namespace engine {

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

} // namespace engine

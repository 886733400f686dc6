#pragma once

#include "engine/backend/device.h"
#include "engine/backend/device_placement.h"
#include "engine/base/result.h"

#include <memory>
#include <vector>

namespace engine {

// A GPU by its number among the visible ones: its kernels run in their order on a lane (a stream)
// of its own. Unsupported says in one sentence why it is not available. The object is of the
// plug-in, which stays loaded.
Result<std::shared_ptr<const Device>> openCudaDevice(int index = 0);

// A symbol of the plug-in: a device that the caller owns, or null and the reason. Both sides are of
// one build (cuda_report.h).
using CudaOpenFunction = Device* (*)(int index, std::string* reason);
constexpr const char* kCudaOpenSymbol = "bubblescope_cuda_open";

// Devices that run at the same time: each a GPU, or where there are fewer, equal parts of their
// multiprocessors (device_placement.h). Unsupported says in one sentence why there are none. The
// first may be asked for what is true of all.
Result<std::vector<std::shared_ptr<const Device>>> openCudaDevices(int count,
                                                                   Carrier carrier = Carrier::Auto);

// The same of the plug-in: false and the reason, or devices that the caller owns.
using CudaOpenDevicesFunction
    = bool (*)(int count, Carrier carrier, std::vector<Device*>* devices, std::string* reason);
constexpr const char* kCudaOpenDevicesSymbol = "bubblescope_cuda_open_devices";

} // namespace engine

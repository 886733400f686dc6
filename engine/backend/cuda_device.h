#pragma once

#include "engine/backend/device.h"
#include "engine/base/result.h"

#include <memory>

namespace engine {

// A GPU by its number among the visible ones: its kernels run in their order on a lane (a stream)
// of its own. Unsupported says in one sentence why there is none. The object is of the plug-in,
// which stays loaded.
Result<std::shared_ptr<const Device>> openCudaDevice(int index = 0);

// A symbol of the plug-in: a device that the caller owns, or null and the reason. Both sides are of
// one build (cuda_report.h).
using CudaOpenFunction = Device* (*)(int index, std::string* reason);
constexpr const char* kCudaOpenSymbol = "bubblescope_cuda_open";

} // namespace engine

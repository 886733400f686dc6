#pragma once

#include "engine/backend/communicators.h"
#include "engine/base/result.h"

#include <atomic>

namespace engine {

// NCCL's communicators between the GPUs of openCudaDevices(); while they are joined, `cancel` ends
// it, which lives as long as what is returned. Unsupported says in one sentence why there are none.
Result<MakeCommunicators> openNccl(const std::atomic<bool>& cancel);

// Symbols of the plug-in (both sides are of one build, cuda_report.h): whether there is an NCCL to
// be used, else why not; and communicators that the caller owns, or null and the reason.
using CudaNcclFunction = bool (*)(std::string* reason);
constexpr const char* kCudaNcclSymbol = "bubblescope_cuda_nccl";
using CudaJoinFunction
    = DeviceCommunicators* (*)(const std::vector<const Device*>& devices,
                               const std::vector<CommunicatorPlan>& plans,
                               const std::atomic<bool>& cancel, std::string* reason);
constexpr const char* kCudaJoinSymbol = "bubblescope_cuda_join";

} // namespace engine

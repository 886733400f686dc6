#pragma once

#include "engine/backend/communicators.h"
#include "engine/base/result.h"

#include <atomic>

namespace engine {

// Returns a function that joins NCCL communicators between the GPUs of openCudaDevices(). `cancel`
// stops joining; it must outlive the result. Fails with Error::Code::Unsupported if NCCL is not
// available; the message has the reason in one sentence.
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

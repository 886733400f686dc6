#pragma once

#include "engine/backend/communicators.h"
#include "engine/base/result.h"

#include <atomic>

namespace engine {

// NCCL communicators between the GPUs of openCudaDevices(). `cancel`, which must outlive the
// result, stops joining. Unsupported gives the reason in one sentence.
Result<MakeCommunicators> openNccl(const std::atomic<bool>& cancel);

// Symbols of the plug-in (both sides have the same build, cuda_report.h): whether NCCL is
// available, with the reason if not; and communicators owned by the caller, or null and the
// reason.
using CudaNcclFunction = bool (*)(std::string* reason);
constexpr const char* kCudaNcclSymbol = "bubblescope_cuda_nccl";
using CudaJoinFunction
    = DeviceCommunicators* (*)(const IdVector<DeviceId, const Device*>& devices,
                               const std::vector<CommunicatorPlan>& plans,
                               const std::atomic<bool>& cancel, std::string* reason);
constexpr const char* kCudaJoinSymbol = "bubblescope_cuda_join";

} // namespace engine

#pragma once

#include "engine/backend/communicators.h"
#include "engine/backend/cuda/runtime/nccl.h"

#include <atomic>

namespace engine::cuda {

// Joins and connects NCCL communicators, so that the first message or sum is not slower than later
// ones and does not wait for the threads of other ranks. Throws std::runtime_error if a rank does
// not respond within `patience`, and Cancelled soon after `cancel` is set. In both cases all ranks
// are aborted.
std::unique_ptr<DeviceCommunicators>
joinCommunicators(const NcclFunctions& library, const IdVector<DeviceId, const Device*>& devices,
                  const std::vector<CommunicatorPlan>& plans, const std::atomic<bool>& cancel,
                  std::chrono::milliseconds patience = std::chrono::seconds(30));

} // namespace engine::cuda

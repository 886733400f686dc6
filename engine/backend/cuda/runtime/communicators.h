#pragma once

#include "engine/backend/communicators.h"
#include "engine/backend/cuda/runtime/nccl.h"

#include <atomic>

namespace engine::cuda {

// By NCCL, joined and connected: of no message or sum is the first one slower, or waits for the
// threads of other ranks. Throws std::runtime_error; Cancelled within a moment of `cancel`, with
// what was begun aborted.
std::unique_ptr<DeviceCommunicators>
joinCommunicators(const NcclFunctions& library, const IdVector<DeviceId, const Device*>& devices,
                  const std::vector<CommunicatorPlan>& plans, const std::atomic<bool>& cancel,
                  std::chrono::milliseconds patience = std::chrono::seconds(30));

} // namespace engine::cuda

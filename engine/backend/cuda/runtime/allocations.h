#pragma once

#include "engine/backend/device.h"

#include <atomic>
#include <memory>

namespace engine::cuda {

Bytes usedMemory(); // of the current GPU, by all programs

// Allocates memory of a device and counts it. The pointers free their memory and may outlive
// this object. Thread-safe.
class Allocations
{
public:
    // On the current GPU. Throws std::bad_alloc, or std::runtime_error with CUDA's message.
    DeviceMemory take(std::size_t bytes, MemoryFor purpose) const;
    GpuMemoryUse use() const; // `taken` and `rounding`

private:
    struct Out
    {
        EnumArray<MemoryFor, std::atomic<Bytes>, kMemoryPurposes> taken{};
        std::atomic<Bytes> rounding{0};
    };
    std::shared_ptr<Out> m_out = std::make_shared<Out>();
};

} // namespace engine::cuda

#pragma once

#include "engine/backend/device.h"

#include <atomic>
#include <memory>

namespace engine::cuda {

Bytes usedMemory(); // memory of the current GPU in use by all programs

// Allocates and counts the memory of a device. The pointers free their memory and may outlive this
// object. Thread-safe.
class Allocations
{
public:
    // Allocates on the current GPU. Throws std::bad_alloc, or std::runtime_error with CUDA's
    // message.
    DeviceMemory take(std::size_t bytes, MemoryFor purpose) const;
    GpuMemoryUse use() const; // sets only the members `taken` and `rounding`

private:
    struct Out
    {
        EnumArray<MemoryFor, std::atomic<Bytes>, kMemoryPurposes> taken{};
        std::atomic<Bytes> rounding{0};
    };
    std::shared_ptr<Out> m_out = std::make_shared<Out>();
};

} // namespace engine::cuda

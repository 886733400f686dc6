#pragma once

#include "engine/backend/device.h"

#include <atomic>
#include <memory>

namespace engine::cuda {

Bytes usedMemory(); // of the current GPU, by whoever

// Memory that a device has asked for, and how much is out: given back wherever the pointer goes out
// of scope, which may be after this. Any thread.
class Allocations
{
public:
    // Of the current GPU. std::bad_alloc; std::runtime_error says what CUDA says.
    DeviceMemory take(std::size_t bytes, MemoryFor purpose) const;
    GpuMemoryUse use() const; // `taken` and `rounding`

private:
    struct Out
    {
        std::array<std::atomic<Bytes>, kMemoryPurposes> taken{};
        std::atomic<Bytes> rounding{0};
    };
    std::shared_ptr<Out> m_out = std::make_shared<Out>();
};

} // namespace engine::cuda

#pragma once

#include "engine/backend/device.h"
#include "engine/plan/arena_layout.h"

#include <cstddef>
#include <vector>

namespace engine {

// The memory of one device. It is initialized with a pattern that is also a quiet NaN, to find
// bytes that were never written and numbers that are read too early.
class Arena
{
public:
    // In memory of this device, which must outlive it; nullptr: host memory.
    explicit Arena(Bytes bytes, const Device* device = nullptr);

    // A part of the arena; CHECKs the bounds. On a GPU only kernels can read it.
    std::span<std::byte> bytes(Extent extent) const;
    template<class Number>
    std::span<Number> of(Extent extent) const
    {
        const std::span<std::byte> part = bytes(extent);
        return {reinterpret_cast<Number*>(part.data()), part.size() / sizeof(Number)};
    }

    Bytes size() const { return m_size; }
    // Copies between the arena and host memory, in the order of the ops.
    void write(Extent to, std::span<const std::byte> from) const;
    std::vector<std::byte> read(Extent from) const;

    // Bytes of the aligned lines that were written (or poisoned, except on a GPU). The device
    // counts them; the calling thread is bound to the device.
    Bytes touched() const;
    // Fills whole numbers with NaN.
    void poison(Extent extent) const;

private:
    void fill(Extent extent, std::uint16_t word) const;

    Bytes m_size = 0;
    const Device* m_device = nullptr;
    DeviceMemory m_memory;
};

} // namespace engine

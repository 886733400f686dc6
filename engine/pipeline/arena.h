#pragma once

#include "engine/backend/device.h"
#include "engine/plan/arena_layout.h"

#include <cstddef>
#include <vector>

namespace engine {

// The memory of one device, in one piece. It begins filled with a pattern that is also a quiet NaN,
// so that afterwards one sees which bytes were ever written, and a number read too early shows.
class Arena
{
public:
    // Of this device's memory, which must outlive it; of this process's where there is none.
    explicit Arena(Bytes bytes, const Device* device = nullptr);

    // A part of it; CHECKs that it is one. On a GPU only kernels can read it.
    std::span<std::byte> bytes(Extent extent) const;
    template<class Number>
    std::span<Number> of(Extent extent) const
    {
        const std::span<std::byte> part = bytes(extent);
        return {reinterpret_cast<Number*>(part.data()), part.size() / sizeof(Number)};
    }

    Bytes size() const { return m_size; }
    // Between it and this process's memory, wherever it lies; in the order of the ops.
    void write(Extent to, std::span<const std::byte> from) const;
    std::vector<std::byte> read(Extent from) const;

    // Of the aligned lines of the arena those that were written (or poisoned, but for a GPU's), in
    // bytes. The device counts them itself, and the calling thread works for it from here on.
    Bytes touched() const;
    // A number read from here is a NaN again. Whole numbers.
    void poison(Extent extent) const;

private:
    void fill(Extent extent, std::uint16_t word) const;

    Bytes m_size = 0;
    const Device* m_device = nullptr;
    DeviceMemory m_memory;
};

} // namespace engine

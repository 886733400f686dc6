#pragma once

#include "engine/backend/device.h"
#include "engine/plan/arena_layout.h"

#include <cstddef>
#include <vector>

namespace engine {

// The memory of one device, initially filled with a pattern that is also a quiet NaN. The pattern
// shows which bytes were never written, and spoils results that use unwritten numbers.
class Arena
{
public:
    // Allocates on `device`, which must outlive the arena; nullptr: host memory.
    explicit Arena(Bytes bytes, const Device* device = nullptr);

    // Returns the bytes of an extent, after checking the bounds with CHECK. On a GPU only kernels
    // may read them.
    std::span<std::byte> bytes(Extent extent) const;
    template<class Number>
    std::span<Number> of(Extent extent) const
    {
        const std::span<std::byte> part = bytes(extent);
        return {reinterpret_cast<Number*>(part.data()), part.size() / sizeof(Number)};
    }

    Bytes size() const { return m_size; }
    // Copy from host memory (write) or to host memory (read), after the ops queued so far.
    void write(Extent to, std::span<const std::byte> from) const;
    std::vector<std::byte> read(Extent from) const;

    // Returns the number of bytes in 64-byte lines that no longer hold the initial pattern. Lines
    // that were only poisoned count on the host, but not on a GPU, where poison() restores the
    // initial pattern. On a GPU, binds the calling thread to the device and waits for its ops.
    Bytes touched() const;
    // Fills an extent with NaN. Its size must be a multiple of 2 bytes.
    void poison(Extent extent) const;

private:
    void fill(Extent extent, std::uint16_t word) const;

    Bytes m_size = 0;
    const Device* m_device = nullptr;
    DeviceMemory m_memory;
};

} // namespace engine

#pragma once

#include "engine/base/units.h"

#include <cstdint>
#include <span>
#include <vector>

namespace engine {

constexpr std::uint32_t kNoIndex = 0xFFFFFFFF; // index of a missing message, buffer or transfer
constexpr Bytes kAlignment = 64;               // alignment of every buffer in an arena
constexpr Bytes aligned(Bytes bytes)
{
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// A range of bytes of an arena.
struct Extent
{
    Bytes offset = 0, bytes = 0;

    Bytes end() const { return offset + bytes; }
    friend bool operator==(const Extent&, const Extent&) = default;
};

// The lifetime of a buffer in the program of its device: from the start of the op at position
// `begin` to the end of the op at position `end`. A stash may shrink: up to position `shrinks` it
// has `bytes` bytes, afterwards only the first `rest` bytes.
struct BufferLife
{
    std::uint32_t begin = 0, end = 0;
    Bytes bytes = 0;
    std::uint32_t shrinks = kNever; // last position at which the buffer has all its `bytes`
    Bytes rest = 0;

    static constexpr std::uint32_t kNever = 0xFFFFFFFF;
    bool shrinksEarly() const { return shrinks < end && rest < bytes; }
    Bytes bytesAt(std::uint32_t position) const
    {
        if (position < begin || position > end)
            return 0;
        return position > shrinks ? rest : bytes;
    }
};

struct ArenaLayout
{
    std::vector<Bytes> offsets; // [life] offset in bytes
    Bytes bytes = 0;            // size of the layout
    Bytes peak = 0; // largest number of bytes alive at the same time; a lower bound of `bytes`
    std::uint32_t peakAt = 0; // position of the peak
};

// Places buffers so that two buffers share bytes only if one has freed them before the other
// begins. Uses first-fit in several orders and keeps the best. If there are few buffers and the
// layout is more than 2.5 % above the peak, also tries random changes of that order. Deterministic.
ArenaLayout layOut(std::span<const BufferLife> lives);
// Ignores alignment.
Bytes peakOf(std::span<const BufferLife> lives);

} // namespace engine

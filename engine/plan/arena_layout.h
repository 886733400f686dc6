#pragma once

#include "engine/base/units.h"

#include <cstdint>
#include <span>
#include <vector>

namespace engine {

constexpr std::uint32_t kNoIndex = 0xFFFFFFFF; // no message, buffer, transfer
constexpr Bytes kAlignment = 64;               // of every buffer of an arena
constexpr Bytes aligned(Bytes bytes)
{
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// Bytes of an arena.
struct Extent
{
    Bytes offset = 0, bytes = 0;

    Bytes end() const { return offset + bytes; }
    friend bool operator==(const Extent&, const Extent&) = default;
};

// A buffer that the program of its own device orders: alive from the op at `begin` to the end of
// the op at `end`, both positions included. A stash may shrink on the way: then `bytes` hold until
// `shrinks`, and `rest` of them, from its first byte, afterwards.
struct BufferLife
{
    std::uint32_t begin = 0, end = 0;
    Bytes bytes = 0;
    std::uint32_t shrinks = kNever; // the last position with all of it
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
    std::vector<Bytes> offsets; // of each life
    Bytes bytes = 0;            // laid out
    Bytes peak = 0;             // alive at once at most: no layout is smaller
    std::uint32_t peakAt = 0;   // position
};

// Places buffers so that two share bytes only where one ends before the other begins: first-fit, in
// the best of several orders, and of some thousand random changes of it while it is more than 2.5 %
// above the peak. The same input gives the same layout.
ArenaLayout layOut(std::span<const BufferLife> lives);
// Most bytes alive at once, without alignment.
Bytes peakOf(std::span<const BufferLife> lives);

} // namespace engine

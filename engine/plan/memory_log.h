#pragma once

#include "engine/timeline/timeline.h"

#include <vector>

namespace engine {

// An allocation or a free at the start or end of an op. Its time is known when the op has run.
struct MemoryChange
{
    enum class At : std::uint8_t { Begin, End };

    std::uint32_t op = 0;
    At at = At::Begin;
    DeviceId device;
    MemoryCategory category = MemoryCategory::Stash;
    Bytes bytes = 0; // positive: allocated, negative: freed

    friend bool operator==(const MemoryChange&, const MemoryChange&) = default;
};
using MemoryLog = std::vector<MemoryChange>;

// Appends the memory events of iteration `iteration`, whose spans must be the last of every track.
// The events are sorted by time; at equal times, frees come first.
void placeMemory(const MemoryLog& log, std::uint32_t iteration, std::uint32_t opCount,
                 Timeline& timeline);

// Returns the window of each op in the iteration, indexed by OpIndex.
std::vector<Window> windowsOf(const Timeline& timeline, std::uint32_t iteration,
                              std::uint32_t opCount);

} // namespace engine

#pragma once

#include "engine/timeline/timeline.h"

#include <vector>

namespace engine {

// The allocations and frees of one iteration by op; their times follow when the ops have run.
struct MemoryChange
{
    enum class At : std::uint8_t { Begin, End };

    std::uint32_t op = 0;
    At at = At::Begin;
    DeviceId device;
    MemoryCategory category = MemoryCategory::Stash;
    Bytes bytes = 0; // + allocated, - freed

    friend bool operator==(const MemoryChange&, const MemoryChange&) = default;
};
using MemoryLog = std::vector<MemoryChange>;

// Appends the events of iteration `iteration` (whose spans are the last of every track), sorted
// by time; frees first at equal times.
void placeMemory(const MemoryLog& log, std::uint32_t iteration, std::uint32_t opCount,
                 Timeline& timeline);

// The window of each op in that iteration. [OpIndex]
std::vector<Window> windowsOf(const Timeline& timeline, std::uint32_t iteration,
                              std::uint32_t opCount);

} // namespace engine

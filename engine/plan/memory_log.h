#pragma once

#include "engine/timeline/timeline.h"

#include <vector>

namespace engine {

// What one iteration allocates and frees, in terms of ops: placed once it is known when they ran.
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

// Appends the events of iteration `iteration` (its spans are the last of every track) by time;
// frees first at equal times.
void placeMemory(const MemoryLog& log, std::uint32_t iteration, std::uint32_t opCount,
                 Timeline& timeline);

// When each op ran in that iteration. [OpIndex]
std::vector<Window> windowsOf(const Timeline& timeline, std::uint32_t iteration,
                              std::uint32_t opCount);

} // namespace engine

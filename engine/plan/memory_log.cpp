#include "engine/plan/memory_log.h"

#include <algorithm>

namespace engine {

std::vector<Window> windowsOf(const Timeline& timeline, std::uint32_t iteration,
                              std::uint32_t opCount)
{
    std::vector<Window> windows(opCount);
    for (const Track& track : timeline.tracks)
        for (auto span = track.spans.rbegin();
             span != track.spans.rend() && span->iteration == iteration; ++span)
            windows[span->op] = span->window();
    return windows;
}

void placeMemory(const MemoryLog& log, std::uint32_t iteration, std::uint32_t opCount,
                 Timeline& timeline)
{
    const std::vector<Window> windows = windowsOf(timeline, iteration, opCount);
    const std::ptrdiff_t first = timeline.memory.size();
    for (const MemoryChange& change : log) {
        const Window window = windows[change.op];
        timeline.memory.push_back(
            {change.at == MemoryChange::At::Begin ? window.begin : window.end, change.bytes,
             change.op, static_cast<std::uint16_t>(change.device.value), change.category});
    }
    std::stable_sort(timeline.memory.begin() + first, timeline.memory.end(),
                     [](const MemoryEvent& a, const MemoryEvent& b) {
                         return a.time != b.time ? a.time < b.time : a.bytes < 0 && b.bytes >= 0;
                     });
}

} // namespace engine

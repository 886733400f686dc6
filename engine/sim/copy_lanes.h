#pragma once

#include "engine/schedule/stash.h"
#include "engine/timeline/timeline.h"

#include <deque>

namespace engine::sim {

// The copy lanes of one device: evicts and loads, one after the other in each direction, for the
// link to the partner is full-duplex. Also keeps the device's room for stashes: what would not fit
// waits for the oldest evict that is still under way.
class CopyLanes
{
public:
    // `room` in parts, of stashRoom(); 0: the device evicts nothing, and nothing waits.
    CopyLanes(std::int64_t room, std::int64_t start)
        : m_room(room)
        , m_evictFree(start)
        , m_loadFree(start)
    { }

    // From `ready` on; both take `duration`.
    Window evict(std::int64_t parts, std::int64_t ready, std::int64_t duration);
    Window load(std::int64_t parts, std::int64_t ready, std::int64_t duration);
    // When `parts` more fit, from `ready` on; they are taken then.
    std::int64_t take(std::int64_t parts, std::int64_t ready);
    void giveBack(std::int64_t parts) { m_held -= parts; }

private:
    struct Leaving
    {
        std::int64_t end = 0, parts = 0;
    };

    std::int64_t m_room = 0, m_held = 0;
    std::int64_t m_evictFree = 0, m_loadFree = 0;
    std::deque<Leaving> m_leaving; // evicts whose parts still count in m_held, ends ascending
};

} // namespace engine::sim

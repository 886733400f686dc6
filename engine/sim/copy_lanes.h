#pragma once

#include "engine/schedule/check/stash.h"
#include "engine/sim/value_table.h"
#include "engine/timeline/timeline.h"

#include <deque>
#include <unordered_map>

namespace engine::sim {

// The evicts and loads of one device, sequential in each direction because the link to the partner
// is full-duplex. Also counts the free stash slots of the device and of its partner. An op that
// needs a slot on the device waits for the oldest running evict; an evict that needs a slot on the
// partner waits for the oldest load. Both come earlier in the program, so this cannot deadlock.
class CopyLanes
{
public:
    CopyLanes(const StashRoom& room, std::int64_t start)
        : m_own(room.own)
        , m_guests(room.guests)
        , m_evictFree(start)
        , m_loadFree(start)
    { }

    // Returns when the copy runs: at `ready` or later, in program order, for `duration`.
    Window evict(std::int64_t parts, std::int64_t ready, std::int64_t duration);
    Window load(std::int64_t parts, std::int64_t ready, std::int64_t duration);
    // Reserves `parts` on the device; returns when they are free, at `ready` or later.
    std::int64_t take(std::int64_t parts, std::int64_t ready) { return m_own.take(parts, ready); }
    void giveBack(std::int64_t parts) { m_own.giveBack(parts); }

    // The arrival time of a copied stash; 0 if it was not copied.
    void setArrival(ValueKey stash, std::int64_t tick) { m_arrival[bits(stash)] = tick; }
    std::int64_t arrival(ValueKey stash) const
    {
        const auto found = m_arrival.find(bits(stash));
        return found == m_arrival.end() ? 0 : found->second;
    }

private:
    // Free slots, counted in parts. Slots that are being freed count as used until the time is
    // needed.
    class Slots
    {
    public:
        explicit Slots(std::int64_t room)
            : m_room(room)
        { }
        std::int64_t take(std::int64_t parts, std::int64_t ready);
        void giveBack(std::int64_t parts) { m_held -= parts; }
        void giveBackAt(std::int64_t end, std::int64_t parts) { m_leaving.push_back({end, parts}); }

    private:
        struct Leaving
        {
            std::int64_t end = 0, parts = 0;
        };

        std::int64_t m_room = 0, m_held = 0;
        std::deque<Leaving> m_leaving; // ends ascending
    };

    static std::uint64_t bits(ValueKey key)
    {
        return (static_cast<std::uint64_t>(key.kind) << 32) + key.index;
    }

    Slots m_own, m_guests; // on the device, on its partner
    std::int64_t m_evictFree = 0, m_loadFree = 0;
    std::unordered_map<std::uint64_t, std::int64_t> m_arrival;
};

} // namespace engine::sim

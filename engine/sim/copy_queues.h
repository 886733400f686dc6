#pragma once

#include "engine/schedule/check/stash.h"
#include "engine/sim/value_table.h"
#include "engine/timeline/timeline.h"

#include <deque>
#include <unordered_map>

namespace engine::sim {

// Times the evicts and loads of one device. The link to the partner is full-duplex: evicts are
// sequential, and so are loads, but an evict and a load may overlap. Also tracks the free space for
// stashes on both devices. An op that needs space on the device waits for the oldest running evict;
// an evict that needs space on the partner waits for the oldest load. That evict or load always
// comes earlier in the program, so this cannot deadlock.
class CopyQueues
{
public:
    CopyQueues(const StashCapacity& capacity, std::int64_t start)
        : m_own(capacity.own)
        , m_guests(capacity.guests)
        , m_evictFree(start)
        , m_loadFree(start)
    { }

    // Returns the window of the copy: it starts at `ready` or later, in program order, and takes
    // `duration`. `parts` is the size of the stash.
    Window evict(std::int64_t parts, std::int64_t ready, std::int64_t duration);
    Window load(std::int64_t parts, std::int64_t ready, std::int64_t duration);
    // Reserves space for `parts` on the device. Returns the time at which the space is free,
    // `ready` or later.
    std::int64_t take(std::int64_t parts, std::int64_t ready) { return m_own.take(parts, ready); }
    void giveBack(std::int64_t parts) { m_own.giveBack(parts); }

    // The time at which a copied stash arrives; 0 if the stash was not copied.
    void setArrival(ValueKey stash, std::int64_t tick) { m_arrival[bits(stash)] = tick; }
    std::int64_t arrival(ValueKey stash) const
    {
        const auto found = m_arrival.find(bits(stash));
        return found == m_arrival.end() ? 0 : found->second;
    }

private:
    // The space for stashes, in parts. Space that is being freed is counted as used until a later
    // take() needs it.
    class Slots
    {
    public:
        explicit Slots(std::int64_t capacity)
            : m_capacity(capacity)
        { }
        std::int64_t take(std::int64_t parts, std::int64_t ready);
        void giveBack(std::int64_t parts) { m_held -= parts; }
        void giveBackAt(std::int64_t end, std::int64_t parts) { m_leaving.push_back({end, parts}); }

    private:
        struct Leaving
        {
            std::int64_t end = 0, parts = 0;
        };

        std::int64_t m_capacity = 0, m_held = 0;
        std::deque<Leaving> m_leaving; // sorted by end
    };

    static std::uint64_t bits(ValueKey key)
    {
        return (static_cast<std::uint64_t>(key.kind) << 32) + key.index;
    }

    Slots m_own, m_guests; // space on the device, and on its partner
    std::int64_t m_evictFree = 0, m_loadFree = 0;
    std::unordered_map<std::uint64_t, std::int64_t> m_arrival;
};

} // namespace engine::sim

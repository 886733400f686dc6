#pragma once

#include "engine/schedule/check/stash.h"
#include "engine/sim/network.h"
#include "engine/sim/value_table.h"

#include <deque>
#include <unordered_map>
#include <vector>

namespace engine::sim {

// Like CopyQueues, but for evicts and loads that share links: the end of a copy is unknown until
// the copy is complete. The order of the program alone determines for which copies an op waits.
class SharedCopies
{
public:
    using Flow = Network::Flow;
    using Flows = std::vector<Flow>;

    explicit SharedCopies(const StashCapacity& capacity)
        : m_own{capacity.own, 0, {}}
        , m_guests{capacity.guests, 0, {}}
    { }

    // Returns the copies for which a new copy of `parts` must wait. Then pass the flow of the new
    // copy to addEvict() or addLoad().
    const Flows& beforeEvict(std::int64_t parts) { return before(m_guests, parts, m_lastEvict); }
    const Flows& beforeLoad(std::int64_t parts) { return before(m_own, parts, m_lastLoad); }
    void addEvict(std::int64_t parts, Flow flow) { add(m_own, parts, flow, m_lastEvict); }
    void addLoad(std::int64_t parts, Flow flow) { add(m_guests, parts, flow, m_lastLoad); }
    // Returns the evicts that must be complete before `parts` fit on the device.
    const Flows& beforeSpace(std::int64_t parts) const;
    void take(std::int64_t parts) { release(m_own, parts); }
    void giveBack(std::int64_t parts) { m_own.held -= parts; }

    // The copy that brings a stash; kNone if it was not copied.
    void setBrings(ValueKey stash, Flow flow) { m_brings[bits(stash)] = flow; }
    Flow brings(ValueKey stash) const
    {
        const auto found = m_brings.find(bits(stash));
        return found == m_brings.end() ? Network::kNone : found->second;
    }

private:
    struct Leaving
    {
        Flow flow = 0;
        std::int64_t parts = 0;
    };
    struct Slots
    {
        std::int64_t capacity = 0, held = 0;
        std::deque<Leaving> leaving;
    };

    static std::uint64_t bits(ValueKey key)
    {
        return (static_cast<std::uint64_t>(key.kind) << 32) + key.index;
    }
    void release(Slots& slots, std::int64_t parts);
    const Flows& before(Slots& slots, std::int64_t parts, Flow last);
    static void add(Slots& slots, std::int64_t parts, Flow flow, Flow& last);

    Slots m_own, m_guests;
    Flow m_lastEvict = Network::kNone, m_lastLoad = Network::kNone;
    std::unordered_map<std::uint64_t, Flow> m_brings;
    mutable Flows m_before;
};

} // namespace engine::sim

#include "engine/sim/shared_copies.h"

namespace engine::sim {

const SharedCopies::Flows& SharedCopies::beforeSpace(std::int64_t parts) const
{
    m_before.clear();
    std::int64_t held = m_own.held + parts;
    for (auto next = m_own.leaving.begin(); held > m_own.capacity && next != m_own.leaving.end();
         ++next) {
        m_before.push_back(next->flow);
        held -= next->parts;
    }
    return m_before;
}

// Space that is being freed is counted as held until it is needed.
void SharedCopies::release(Slots& slots, std::int64_t parts)
{
    slots.held += parts;
    for (; slots.held > slots.capacity && !slots.leaving.empty(); slots.leaving.pop_front()) {
        m_before.push_back(slots.leaving.front().flow);
        slots.held -= slots.leaving.front().parts;
    }
}

const SharedCopies::Flows& SharedCopies::before(Slots& slots, std::int64_t parts, Flow last)
{
    m_before.clear();
    release(slots, parts);
    if (last != Network::kNone)
        m_before.push_back(last);
    return m_before;
}

void SharedCopies::add(Slots& slots, std::int64_t parts, Flow flow, Flow& last)
{
    slots.leaving.push_back({flow, parts});
    last = flow;
}

} // namespace engine::sim

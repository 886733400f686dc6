#include "engine/sim/copy_queues.h"

#include <algorithm>

namespace engine::sim {

Window CopyQueues::evict(std::int64_t parts, std::int64_t ready, std::int64_t duration)
{
    const std::int64_t begin = m_guests.take(parts, std::max(ready, m_evictFree));
    m_evictFree = begin + duration;
    m_own.giveBackAt(m_evictFree, parts);
    return {begin, m_evictFree};
}

Window CopyQueues::load(std::int64_t parts, std::int64_t ready, std::int64_t duration)
{
    const std::int64_t begin = take(parts, std::max(ready, m_loadFree));
    m_loadFree = begin + duration;
    m_guests.giveBackAt(m_loadFree, parts);
    return {begin, m_loadFree};
}

std::int64_t CopyQueues::Slots::take(std::int64_t parts, std::int64_t ready)
{
    m_held += parts;
    for (; m_held > m_capacity && !m_leaving.empty(); m_leaving.pop_front()) {
        ready = std::max(ready, m_leaving.front().end);
        m_held -= m_leaving.front().parts;
    }
    return ready;
}

} // namespace engine::sim

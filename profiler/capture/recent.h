#pragma once

#include <array>
#include <cstddef>
#include <utility>

namespace profiler {

// A map that keeps at least the last `kept` new keys and at most twice as many: when the newer half
// is full, it replaces the older one.
template<class Map, std::size_t kept = std::size_t{1} << 19>
class Recent
{
public:
    void set(const typename Map::key_type& key, typename Map::mapped_type value)
    {
        if (m_newer.size() >= kept)
            m_older = std::exchange(m_newer, {});
        m_newer.insert_or_assign(key, std::move(value));
    }

    // The newer half, then the older one. A key may be in both.
    std::array<const Map*, 2> halves() const { return {&m_newer, &m_older}; }

private:
    Map m_newer, m_older;
};

} // namespace profiler

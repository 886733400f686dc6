#include "engine/schedules/parts/virtual_ids.h"

#include <algorithm>

namespace engine::parts {

VirtualIds::VirtualIds(const Sizes& sizes)
    : m_devices(sizes.devices)
    , m_lastChunk(sizes.chunks - 1)
{
    m_table.reserve(sizes.microBatches * static_cast<std::size_t>(sizes.chunks));
    for (int first = 0, past = 0; first < sizes.microBatches; first = past) {
        past = first + std::min(sizes.group, sizes.microBatches - first);
        for (int chunk = 0; chunk < sizes.chunks; ++chunk)
            for (int m = first; m < past; ++m)
                m_table.push_back({m, chunk});
    }
}

} // namespace engine::parts

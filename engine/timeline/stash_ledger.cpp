#include "engine/timeline/stash_ledger.h"

#include <algorithm>
#include <tuple>

namespace engine {

void StashLedger::add(DeviceId device, const Op& op, const Shape& shape, Window window)
{
    const StashChange change = stashChange(op.kind);
    const std::int64_t parts = stashParts(op, shape);
    note(device.value, window.begin, change.ownAtBegin * parts);
    note(device.value, window.end, change.ownAtEnd * parts);
    note(op.peer, window.begin, change.peerAtBegin * parts);
    note(op.peer, window.end, change.peerAtEnd * parts);
}

void StashLedger::note(int device, std::int64_t time, std::int64_t parts)
{
    if (parts != 0 && static_cast<std::size_t>(device) < m_events.size())
        m_events[static_cast<std::size_t>(device)].push_back({time, parts});
}

const std::vector<StashLedger::Event>& StashLedger::events(std::size_t device)
{
    auto& events = m_events[device];
    std::ranges::sort(events, {},
                      [](const Event& event) { return std::pair(event.time, event.parts); });
    return events;
}

std::int64_t StashLedger::peak(std::size_t device)
{
    std::int64_t alive = 0, most = 0;
    for (const Event& event : events(device))
        most = std::max(most, alive += event.parts);
    return most;
}

} // namespace engine

#include "engine/timeline/stash_ledger.h"

#include <algorithm>
#include <tuple>

namespace engine {

StashLedger::StashLedger(const Schedule& schedule, double kept)
    : m_shape(schedule.shape)
    , m_rebuilt(schedule)
    , m_kept(kept)
    , m_events(schedule.program.size())
{ }

void StashLedger::add(DeviceId device, const Op& op, Window window)
{
    const HeldChange change = heldChange(op, m_shape, m_rebuilt.of(op));
    note(device, window.begin, change.ownAtBegin);
    note(device, window.end, change.ownAtEnd);
    note(DeviceId{op.peer}, window.begin, change.peerAtBegin);
    note(DeviceId{op.peer}, window.end, change.peerAtEnd);
}

void StashLedger::note(DeviceId device, std::int64_t time, const HeldParts& change)
{
    if ((change.whole != 0 || change.kept != 0) && m_events.has(device))
        m_events[device].push_back({time, change});
}

const std::vector<StashLedger::Event>& StashLedger::events(DeviceId device)
{
    auto& events = m_events[device];
    std::ranges::sort(events, {}, [](const Event& event) {
        return std::tuple(event.time, event.change.whole, event.change.kept);
    });
    return events;
}

StashLedger::Peak StashLedger::peak(DeviceId device)
{
    HeldParts held;
    Peak peak;
    for (const Event& event : events(device)) {
        held.whole += event.change.whole;
        held.kept += event.change.kept;
        peak.parts = std::max(peak.parts, partsOf(held));
        peak.kept = std::max(peak.kept, held.kept);
    }
    return peak;
}

} // namespace engine

#pragma once

#include "engine/schedule/check/stash.h"
#include "engine/timeline/timeline.h"

#include <vector>

namespace engine {

// Who holds how much stash when, from the ops that begin and end it, in any order: its peaks. One
// on its way to or from a partner counts on both. 32 bytes an op.
class StashLedger
{
public:
    // Of a stash that is rebuilt the share `kept` of an activation stays until its RECOMPUTE
    // (RunInfo::recomputeKeeps).
    StashLedger(const Schedule& schedule, double kept);

    void add(DeviceId device, const Op& op, Window window);
    struct Event
    {
        std::int64_t time = 0;
        HeldParts change; // see stash.h
    };
    // By time; at equal times what ends comes first. Sorts.
    const std::vector<Event>& events(DeviceId device);
    double partsOf(const HeldParts& held) const { return held.whole + m_kept * held.kept; }
    struct Peak
    {
        double parts = 0;
        std::int64_t kept = 0; // parts of which only what a RECOMPUTE needs is there, the most
    };
    Peak peak(DeviceId device);

private:
    void note(DeviceId device, std::int64_t time, const HeldParts& change);

    Shape m_shape;
    RebuiltStashes m_rebuilt;
    double m_kept = 0;
    IdVector<DeviceId, std::vector<Event>> m_events;
};

} // namespace engine

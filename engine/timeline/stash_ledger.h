#pragma once

#include "engine/schedule/check/stash.h"
#include "engine/timeline/timeline.h"

#include <vector>

namespace engine {

// Records the stashes of every device over time, and computes their peak. Ops may be added in any
// order. A stash that moves to or from a partner counts on both devices. Needs 32 bytes per op.
class StashLedger
{
public:
    // `kept`: the share of an activation that is kept until its RECOMPUTE
    // (RunInfo::recomputeKeeps).
    StashLedger(const Schedule& schedule, double kept);

    void add(DeviceId device, const Op& op, Window window);
    struct Event
    {
        std::int64_t time = 0;
        HeldParts change; // see stash.h
    };
    // The events are sorted by time; at equal times, releases come first. The first call sorts
    // them.
    const std::vector<Event>& events(DeviceId device);
    double partsOf(const HeldParts& held) const { return held.whole + m_kept * held.kept; }
    struct Peak
    {
        double parts = 0;
        std::int64_t kept = 0; // peak of HeldParts::kept
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

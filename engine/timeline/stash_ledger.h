#pragma once

#include "engine/schedule/stash.h"
#include "engine/timeline/timeline.h"

#include <vector>

namespace engine {

// Who holds how much stash when, from the ops that begin and end it, in any order: its peaks. One
// on its way to or from a partner counts on both. 32 bytes an op.
class StashLedger
{
public:
    explicit StashLedger(std::size_t devices)
        : m_events(devices)
    { }

    void add(DeviceId device, const Op& op, const Shape& shape, Window window);
    // In parts (stash.h); at equal times what ends comes first. Sorts.
    std::int64_t peak(std::size_t device);

private:
    struct Event
    {
        std::int64_t time = 0, parts = 0;
    };
    void note(int device, std::int64_t time, std::int64_t parts);

    std::vector<std::vector<Event>> m_events; // [device]
};

} // namespace engine

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
    struct Event
    {
        std::int64_t time = 0, parts = 0; // parts: the change, see stash.h
    };
    // By time; at equal times what ends comes first. Sorts.
    const std::vector<Event>& events(std::size_t device);
    std::int64_t peak(std::size_t device); // in parts

private:
    void note(int device, std::int64_t time, std::int64_t parts);

    std::vector<std::vector<Event>> m_events; // [device]
};

} // namespace engine

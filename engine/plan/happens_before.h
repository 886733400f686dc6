#pragma once

#include "engine/schedule/schedule.h"

#include <vector>

namespace engine {

// What a schedule itself orders: by the programs of its devices and the values that they wait for,
// whatever the clocks say (Lamport, 1978; vector clocks: Fidge, Mattern, 1988). Two buffers may
// share memory only on its word.
class HappensBefore
{
public:
    explicit HappensBefore(const Schedule& lowered); // that does not deadlock

    struct Place
    {
        DeviceId device;
        std::uint32_t position = 0; // of a compute op in the device's program
    };
    // `first` has ended before `second` begins. Ops that run as one begin and end together.
    bool isOrdered(Place first, Place second) const;

    // Every op after what it consumes.
    const std::vector<Place>& order() const { return m_order; }
    // The ops that run as one with the op at `position`: itself, mostly.
    struct Group
    {
        std::uint32_t first = 0, last = 0;
    };
    Group groupOf(Place place) const;

private:
    using Clock = std::uint32_t; // ops of a device that have ended: all before this position

    bool tryGroup(const Schedule& lowered, DeviceId device, std::uint32_t first);
    bool gather(const Schedule& lowered, const Op& op, std::span<Clock> clocks);
    std::span<Clock> begin(Place place);

    std::size_t m_devices = 0;
    std::vector<std::vector<Group>> m_groups;    // [device][position]
    std::vector<std::vector<Clock>> m_begin;     // [device][position * devices + device]
    std::vector<Place> m_madeBy;                 // [valueIndex], while it is built
    std::vector<int> m_allReduces, m_reduced;    // [meetingOf()] calls expected, seen
    std::vector<std::vector<Clock>> m_reducedAt; // [stage][device]
    std::vector<Place> m_order;
};

} // namespace engine

#pragma once

#include "engine/schedule/schedule.h"

#include <vector>

namespace engine {

// The order of ops that a schedule guarantees for any op durations. It is a partial order that
// follows from the programs of the devices and from the values that ops wait for (Lamport, 1978;
// vector clocks: Fidge, Mattern, 1988). Two buffers may share memory only if this order separates
// them.
class HappensBefore
{
public:
    explicit HappensBefore(const Schedule& lowered); // the schedule must not deadlock
    // The memory of the clocks in bytes: a clock per op and device.
    static double bytes(std::size_t ops, int devices)
    {
        return static_cast<double>(ops) * devices * sizeof(Clock);
    }

    struct Place
    {
        DeviceId device;
        std::uint32_t position = 0; // position in the program of the device
    };
    // Whether `first` always ends before `second` begins. Joint ops begin and end together.
    bool isOrdered(Place first, Place second) const;

    const std::vector<Place>& order() const { return m_order; }
    // The first and the last position of a joint group; equal for an op that is not joint.
    struct Group
    {
        std::uint32_t first = 0, last = 0;
    };
    Group groupOf(Place place) const;

private:
    using Clock = std::uint32_t; // number of ops of a device that have ended
    using Clocks = IdVector<DeviceId, Clock>;

    bool tryGroup(const Schedule& lowered, DeviceId device, std::uint32_t first);
    bool gather(const Schedule& lowered, const Op& op, Clocks& clocks);
    std::span<Clock> begin(Place place);

    std::size_t m_devices = 0;
    IdVector<DeviceId, std::vector<Group>> m_groups; // [position]
    IdVector<DeviceId, std::vector<Clock>> m_begin;  // clocks at [position * devices + device]
    std::vector<Place> m_madeBy; // [valueIndex] the producer; used only during construction
    // An all-reduce: the number of its ALLREDUCE ops so far, and the clocks at its end.
    struct Sum
    {
        std::size_t calls = 0;
        Clocks at;
    };
    IdVector<StageId, std::vector<DeviceId>> m_callers; // allReduceCallers()
    // The all-reduces of each allReduceStage(), one per update.
    IdVector<StageId, std::vector<Sum>> m_sums;
    std::vector<std::size_t> m_called; // [row (Shape::row())]: ALLREDUCE ops so far
    std::vector<Place> m_order;
};

} // namespace engine

#pragma once

#include "engine/cost/cost_model.h"
#include "engine/schedule/dataflow.h"
#include "engine/sim/all_reduce_lanes.h"
#include "engine/sim/copy_lanes.h"
#include "engine/sim/track_writer.h"
#include "engine/sim/value_table.h"

namespace engine::sim {

// Places one iteration. A device runs on until its next compute op lacks an input, and again when
// that has come; because a lane is only ever used by its own device, in the order of the program,
// the times do not depend on the order in which devices are visited.
class Placer
{
public:
    Placer(const Schedule& lowered, const OpCosts& costs, std::int64_t start, TrackWriter& tracks);

    // The window of the iteration; an error when a device waits for ever.
    Result<Window> place();

private:
    struct Link
    {
        std::uint16_t peer = Op::kNoPeer;
        std::int64_t free = 0;
    };
    struct Device
    {
        std::size_t next = 0;  // op of its program
        std::int64_t free = 0; // of its compute lane
        std::int64_t waitsFor = kNoValue;
        std::vector<Link> links;  // outgoing, in order of first use
        std::int32_t copies = -1; // of m_copies; -1: evicts nothing
    };
    static constexpr std::int64_t kNoValue = -1;

    void run(DeviceId device);
    bool compute(DeviceId device, std::size_t count);
    bool send(DeviceId device, const Op& op);
    void allReduce(DeviceId device, const Op& op);
    bool copy(DeviceId device, const Op& op);
    bool gather(DeviceId device, const Op& op, std::int64_t& start);
    CopyLanes* copiesOf(DeviceId device);
    void arrive(DeviceId device, std::uint32_t value, std::int64_t tick);
    std::int64_t& linkFree(Device& from, std::uint16_t peer) const;
    Device& state(DeviceId device) { return m_devices[static_cast<std::size_t>(device.value)]; }
    const OpCosts::Cost& cost(DeviceId device, std::size_t position) const
    {
        return m_costs.of[static_cast<std::size_t>(device.value)][position];
    }
    Error deadlock() const;

    const Schedule& m_schedule;
    const OpCosts& m_costs;
    TrackWriter& m_tracks;
    OpIndex m_index;
    ValueTable m_values;
    AllReduceLanes m_allReduces;
    std::vector<CopyLanes> m_copies; // of the devices that evict
    std::vector<Device> m_devices;
    std::vector<DeviceId> m_runnable;
    std::int64_t m_start = 0;
    Window m_window;
};

} // namespace engine::sim

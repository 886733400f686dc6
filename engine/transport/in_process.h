#pragma once

#include "engine/backend/kernels.h"
#include "engine/transport/doorbell.h"
#include "engine/transport/side_lane.h"
#include "engine/transport/transport.h"

#include <deque>

namespace engine {

// Devices that are threads of one process, or one thread that plays all of them: a message is a
// memcpy by the sender into the receiver's slot, a fence an atomic number.
class InProcessTransport final : public Transport
{
public:
    enum class SideLanes : std::uint8_t {
        Inline,  // copies and all-reduces run in the call; for one thread that plays all devices
        Threads, // one thread per pair of devices that have any
    };
    // How long a lane looks before it sleeps, ns.
    static constexpr std::int64_t kSpin = 20'000;

    // What `traffic` refers to must outlive it. It lies in the memory of `kernels`' device, one
    // lane for all; none is this process's.
    InProcessTransport(Traffic traffic, int devices, SideLanes sideLanes, std::int64_t spin = kSpin,
                       const Kernels<float>* kernels = nullptr);
    ~InProcessTransport() override;

    void beginIteration() override;
    void post(DeviceId self, std::uint32_t message) override;
    bool send(DeviceId self, std::uint32_t message) override;
    void receive(DeviceId, std::uint32_t) override { } // the sender pushes
    void copy(DeviceId self, std::uint32_t copy) override;
    void allReduce(DeviceId self, std::uint32_t collective) override;
    bool wait(DeviceId self, Fence fence) override;
    void abort() override;
    void poll() override { }
    bool hasPassed(Fence fence) const override;
    TransferTime timeOf(Fence fence) const override;

    std::size_t sideLanes() const { return m_lanes.size(); }

private:
    // Of one fence: the iteration in which it passed last, and when it was under way.
    struct State
    {
        std::atomic<std::uint32_t> passed{0};
        TransferTime time;
    };

    State& state(Fence fence);
    const State& state(Fence fence) const;
    Doorbell& bell(DeviceId device) { return m_bells[static_cast<std::size_t>(device.value)]; }
    void pass(Fence fence, DeviceId waiter);
    void callSideLane(DeviceId self, std::uint32_t call);
    void perform(std::uint32_t call);
    void reduce(std::uint32_t collective);
    void makeLanes();

    void move(std::span<const std::byte> from, std::span<std::byte> to) const;

    Traffic m_traffic;
    const Kernels<float>* m_kernels = nullptr;
    std::deque<State> m_states[4];     // [Fence::Kind][id]; a deque, since atomics do not move
    std::deque<Doorbell> m_bells;      // [device]
    std::vector<std::size_t> m_joined; // [collective] members that called
    std::uint32_t m_iteration = 0;
    std::int64_t m_spin = 0;
    std::atomic<bool> m_aborted{false};
    std::vector<std::size_t> m_laneOf; // [call: copies, then collectives]
    std::deque<SideLane> m_lanes;      // last: their threads use the others
};

} // namespace engine

#pragma once

#include "engine/backend/device.h"
#include "engine/transport/doorbell.h"
#include "engine/transport/transport.h"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

namespace engine {

// Devices whose ops are queued: the GPUs of this process, or partitions of one. The sender copies
// on a queue of its own into the receiver's slot, between GPUs by peer copy; a fence is an event.
// Each device has up to three queues beside its lane: for messages, for EVICT and LOAD, and for the
// all-reduces of which it is the first member, whose sums are taken there in the order of the
// members.
//
// An event that nobody has recorded holds nothing up, so that wait() and send() first wait on the
// host until the other device's thread has come so far. Whatever is queued therefore waits for
// something that was queued earlier, and no queue can wait for itself through others.
class QueuedTransport : public Transport
{
public:
    // How long a thread looks before it sleeps, ns.
    static constexpr std::int64_t kSpin = 20'000;
    // Of another GPU's buffer, so much is fetched at a time to be added, bytes.
    static constexpr std::size_t kStaged = std::size_t{16} << 20;

    // What `traffic` refers to is the memory of `devices`, which must outlive it.
    QueuedTransport(Traffic traffic, std::vector<const Device*> devices);
    ~QueuedTransport() override;

    void beginIteration() override;
    void post(DeviceId self, std::uint32_t message) override;
    bool send(DeviceId self, std::uint32_t message) override;
    void receive(DeviceId, std::uint32_t) override { } // the sender pushes
    void copy(DeviceId self, std::uint32_t copy) override;
    void allReduce(DeviceId self, std::uint32_t collective) override;
    bool wait(DeviceId self, Fence fence) override;
    void abort() override;
    void poll() override { }
    bool hasPassed(Fence fence) const override; // on the device, not only queued
    TransferTime timeOf(Fence fence) const override;

protected:
    using Event = std::unique_ptr<DeviceEvent>;

    struct State // of one fence
    {
        std::atomic<std::uint32_t> queued{0}; // in which iteration last
        Event begin, end;                     // begin: none of a credit
    };
    // Who moves messages and adds: the copies of this class, or a class above it, which has queues
    // of its own; then the receiver tells of an arrival, and nothing here of a sum.
    enum class Moves : std::uint8_t { Copies, Above };
    QueuedTransport(Traffic traffic, std::vector<const Device*> devices, Moves moves);

    const Traffic& traffic() const { return m_traffic; }
    const std::vector<const Device*>& devices() const { return m_devices; }
    const Device& device(DeviceId id) const { return *m_devices[indexOf(id)]; }
    State& state(Fence fence);
    const State& state(Fence fence) const;
    Event& made(std::uint32_t message) { return m_made[message]; }
    bool isQueued(Fence fence) const;
    void markQueued(Fence fence, DeviceId waiter);
    std::uint32_t iteration() const { return m_iteration; }
    bool isAborted() const { return m_aborted.load(std::memory_order_acquire); }
    static std::size_t indexOf(DeviceId id) { return static_cast<std::size_t>(id.value); }

private:
    struct Side // what a device has beside its lane, where it is needed
    {
        std::unique_ptr<DeviceQueue> messages, copies, sums;
        DeviceMemory staged; // of another GPU's buffer
    };
    struct Calls // for one collective
    {
        std::mutex mutex;
        std::size_t joined = 0;
        std::vector<Event> events; // [member]: its lane has come to it
    };

    void makeFences(Moves moves);
    void makeSides(Moves moves);
    void makeCalls();
    Side& side(DeviceId id) { return m_sides[indexOf(id)]; }
    bool awaitQueued(DeviceId self, Fence fence);
    void transferTimed(DeviceQueue& queue, Fence fence, const DeviceCopy& copy);
    void reduce(std::uint32_t collective);
    template<class Number>
    void sum(const Collective& collective, std::span<const std::span<Number>> buffers);
    template<class Number>
    void addFrom(DeviceId other, DeviceId first, std::span<const Number> from,
                 std::span<Number> to);

    Traffic m_traffic;
    std::vector<const Device*> m_devices;
    std::deque<State> m_states[4];  // [Fence::Kind][id]; a deque, since atomics do not move
    std::vector<Event> m_made;      // [message] the sender's tensor stands
    std::vector<Event> m_called;    // [copy] the owner's lane has come to it
    std::deque<Calls> m_calls;      // [collective]
    std::deque<Doorbell> m_bells;   // [device]
    std::vector<std::mutex> m_sums; // [device] its queue of sums takes calls from several threads
    std::uint32_t m_iteration = 0;
    std::atomic<bool> m_aborted{false};
    std::vector<Side> m_sides; // [device]; last: what is queued there uses the events
};

} // namespace engine

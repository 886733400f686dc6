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

// A transport between devices whose ops are queued: GPUs of this process, or partitions of one GPU.
// The sender copies into the receiver's slot on its own queue (peer copies between GPUs); a fence
// is an event. In addition to its compute stream a device has up to three queues: for messages, for
// EVICT and LOAD, and for the all-reduces whose first member is the device. The all-reduce queue
// adds the buffers in the order of the members.
//
// Waiting for an event that was never recorded does not block, so wait() and send() first wait on
// the host until the other device's thread has recorded it. Queued work therefore depends only on
// work queued earlier, and queues cannot deadlock.
class QueuedTransport : public Transport
{
public:
    // The time in ns for which a thread spins before it sleeps.
    static constexpr std::int64_t kSpin = 20'000;
    // The size in bytes of the pieces in which another GPU's buffer is copied before it is added.
    static constexpr std::size_t kStaged = std::size_t{16} << 20;

    // The memory of `traffic` belongs to `devices`, which must outlive this object.
    QueuedTransport(Traffic traffic, IdVector<DeviceId, const Device*> devices);
    ~QueuedTransport() override;

    void beginIteration() override;
    void post(DeviceId self, std::uint32_t message) override;
    bool send(DeviceId self, std::uint32_t message) override;
    void receive(DeviceId, std::uint32_t) override { } // the sender writes into the slot
    void copy(DeviceId self, std::uint32_t copy) override;
    void allReduce(DeviceId self, std::uint32_t collective) override;
    bool wait(DeviceId self, Fence fence) override;
    void abort() override;
    void poll() override { }
    // Whether the device has passed the fence; queuing it does not suffice.
    bool hasPassed(Fence fence) const override;
    TransferTime timeOf(Fence fence) const override;

protected:
    using Event = std::unique_ptr<DeviceEvent>;

    struct State // the state of one fence
    {
        std::atomic<std::uint32_t> queued{0}; // last iteration in which the fence was queued
        Event begin, end;                     // credits have no begin
    };
    // The class that transfers messages and adds buffers. Copies: QueuedTransport, by copying.
    // Derived: a derived class, which also sets the events of the Arrived and Reduced fences.
    enum class Moves : std::uint8_t { Copies, Derived };
    QueuedTransport(Traffic traffic, IdVector<DeviceId, const Device*> devices, Moves moves);

    const Traffic& traffic() const { return m_traffic; }
    const IdVector<DeviceId, const Device*>& devices() const { return m_devices; }
    const Device& device(DeviceId id) const { return *m_devices[id]; }
    State& state(Fence fence);
    const State& state(Fence fence) const;
    Event& made(std::uint32_t message) { return m_made[message]; }
    bool isQueued(Fence fence) const;
    void markQueued(Fence fence, DeviceId waiter);
    std::uint32_t iteration() const { return m_iteration; }
    bool isAborted() const { return m_aborted.load(std::memory_order_acquire); }

private:
    struct Side // additional queues of a device, created on demand
    {
        std::unique_ptr<DeviceQueue> messages, copies, sums;
        DeviceMemory staged; // memory for a copy of another GPU's buffer
    };
    struct Calls // the calls of one collective
    {
        std::mutex mutex;
        std::size_t joined = 0;
        std::vector<Event> events; // [member] recorded when the member's stream reaches the call
    };

    void makeFences(Moves moves);
    void makeSides(Moves moves);
    void makeCalls();
    bool awaitQueued(DeviceId self, Fence fence);
    void transferTimed(DeviceQueue& queue, Fence fence, const DeviceCopy& copy);
    void reduce(std::uint32_t collective);
    template<class Number>
    void sum(const Collective& collective, std::span<const std::span<Number>> buffers);
    template<class Number>
    void addFrom(DeviceId other, DeviceId first, std::span<const Number> from,
                 std::span<Number> to);

    Traffic m_traffic;
    IdVector<DeviceId, const Device*> m_devices;
    EnumArray<Fence::Kind, std::deque<State>, 4>
        m_states;                // [id]; a deque, because atomics cannot be moved
    std::vector<Event> m_made;   // [message] recorded when the sender's tensor is complete
    std::vector<Event> m_called; // [copy] recorded when the owner's stream reaches the copy
    std::deque<Calls> m_calls;   // [collective]
    IdVector<DeviceId, Doorbell> m_bells;
    // Protects the all-reduce queue of a device, which several threads use.
    IdVector<DeviceId, std::mutex> m_sums;
    std::uint32_t m_iteration = 0;
    std::atomic<bool> m_aborted{false};
    IdVector<DeviceId, Side> m_sides; // last member: queued work uses the events
};

} // namespace engine

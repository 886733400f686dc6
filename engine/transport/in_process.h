#pragma once

#include "engine/backend/kernels.h"
#include "engine/base/id.h"
#include "engine/transport/doorbell.h"
#include "engine/transport/transport.h"

#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace engine {

// A thread that executes calls of several devices (all-reduces, copies over their link) while the
// devices compute. The calls of each device run in order. Lock-free.
class SideThread
{
public:
    using Work = std::function<void(std::uint32_t call)>;
    // `capacity`: the largest number of calls of one device per iteration. `work` runs on this
    // object's thread.
    SideThread(std::vector<DeviceId> devices, std::size_t capacity, Work work);
    ~SideThread(); // completes all calls before it returns

    void call(DeviceId self, std::uint32_t call); // call it only on the thread of `self`
    const std::vector<DeviceId>& devices() const { return m_devices; }

private:
    struct Queue // single-producer, single-consumer ring of one device
    {
        explicit Queue(std::size_t capacity)
            : calls(capacity)
        { }

        std::vector<std::uint32_t> calls;
        std::atomic<std::size_t> written{0};
        std::size_t read = 0;
    };

    void run();
    bool takeAll();

    std::vector<DeviceId> m_devices;
    std::vector<std::unique_ptr<Queue>> m_queues; // [device]
    Work m_work;
    Doorbell m_bell;
    std::atomic<bool> m_stopping{false};
    std::thread m_thread; // last member, because it uses the other members
};

// A transport between threads of one process, or within one thread that executes all devices. A
// message is a memcpy by the sender into the receiver's slot; a fence is an atomic number.
class InProcessTransport final : public Transport
{
public:
    enum class SideWork : std::uint8_t {
        // For one thread that executes all devices: copies and all-reduces run within the call.
        Inline,
        Threads, // one side thread per set of devices that share copies or all-reduces
    };
    // The time in ns for which a thread spins before it sleeps.
    static constexpr std::int64_t kSpin = 20'000;

    // The memory of `traffic` must outlive this object. `kernels` belong to the device of that
    // memory; nullptr for host memory.
    InProcessTransport(Traffic traffic, int devices, SideWork sideWork, std::int64_t spin = kSpin,
                       const Kernels<float>* kernels = nullptr);
    ~InProcessTransport() override;

    void beginIteration() override;
    void post(DeviceId self, std::uint32_t message) override;
    bool send(DeviceId self, std::uint32_t message) override;
    void receive(DeviceId, std::uint32_t) override { } // the sender writes into the slot
    void copy(DeviceId self, std::uint32_t copy) override;
    void allReduce(DeviceId self, std::uint32_t collective) override;
    bool wait(DeviceId self, Fence fence) override;
    void abort() override;
    void poll() override { }
    bool hasPassed(Fence fence) const override;
    TransferTime timeOf(Fence fence) const override;

    std::size_t sideThreads() const { return m_threads.size(); }

private:
    // The last iteration in which a fence passed, and the time of its transfer.
    struct State
    {
        std::atomic<std::uint32_t> passed{0};
        TransferTime time;
    };

    State& state(Fence fence);
    const State& state(Fence fence) const;
    void pass(Fence fence, DeviceId waiter);
    void callSideThread(DeviceId self, std::uint32_t call);
    void perform(std::uint32_t call);
    void reduce(std::uint32_t collective);
    void makeSideThreads();

    void move(std::span<const std::byte> from, std::span<std::byte> to) const;

    Traffic m_traffic;
    const Kernels<float>* m_kernels = nullptr;
    EnumArray<Fence::Kind, std::deque<State>, 4>
        m_states; // [id]; a deque, because atomics cannot be moved
    IdVector<DeviceId, Doorbell> m_bells;
    std::vector<std::size_t> m_joined; // [collective] number of members that have called
    std::uint32_t m_iteration = 0;
    std::int64_t m_spin = 0;
    std::atomic<bool> m_aborted{false};
    // The index into m_threads of each call. The calls are the copies, then the collectives.
    std::vector<std::size_t> m_threadOf;
    std::deque<SideThread> m_threads; // last member: its threads use the other members
};

} // namespace engine

#pragma once

#include "engine/base/id.h"
#include "engine/transport/doorbell.h"

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

} // namespace engine

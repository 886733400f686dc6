#pragma once

#include "engine/base/id.h"
#include "engine/transport/doorbell.h"

#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace engine {

// A thread beside the devices that share it: what they call for (all-reduces, copies over their
// link) runs here while they compute. Each device's calls are taken in their order; no lock.
class SideLane
{
public:
    using Work = std::function<void(std::uint32_t call)>;
    // `capacity`: the most calls of one device in one iteration. `work` runs on the lane's thread.
    SideLane(std::vector<DeviceId> devices, std::size_t capacity, Work work);
    ~SideLane(); // finishes what was called for

    void call(DeviceId self, std::uint32_t call); // from the thread of that device
    const std::vector<DeviceId>& devices() const { return m_devices; }

private:
    struct Queue // of one device: a ring that it alone writes and the lane alone reads
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
    std::thread m_thread; // last: it uses the others
};

} // namespace engine

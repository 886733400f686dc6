#pragma once

#include "engine/backend/device.h"
#include "engine/base/id.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace engine {

// Who exchanges with whom: one message after the other from its first rank to its second, or sums
// of all ranks.
struct CommunicatorPlan
{
    enum class Carries : std::uint8_t { Messages, Sums };

    std::string name; // "activations 2 -> 3": in what goes wrong
    Carries carries = Carries::Messages;
    std::vector<DeviceId> ranks; // each has a GPU of its own; of messages two
};

// Communicators between GPUs of this process, by a library whose calls meet by their order on a
// communicator, not by name (NCCL). Calls of a device come from one thread at a time, return at
// once, and run on a queue of that device in its order; what has begun holds its queue, and some
// multiprocessors, until the other ranks have come to it. Errors are std::runtime_error.
class DeviceCommunicators
{
public:
    DeviceCommunicators() = default;
    DeviceCommunicators(const DeviceCommunicators&) = delete;
    DeviceCommunicators& operator=(const DeviceCommunicators&) = delete;
    // Ends them on all ranks, when all queues are empty; after abort() waits until that is done.
    virtual ~DeviceCommunicators() = default;

    // From the first rank, and at the second; as many bytes at both.
    virtual void send(DeviceId self, std::size_t communicator, std::span<const std::byte> from,
                      DeviceQueue& queue)
        = 0;
    virtual void receive(DeviceId self, std::size_t communicator, std::span<std::byte> to,
                         DeviceQueue& queue)
        = 0;
    // In place, of as many numbers at all ranks. The order in which floats are added is the
    // library's; integers have none.
    virtual void sum(DeviceId self, std::size_t communicator, std::span<float> numbers,
                     DeviceQueue& queue)
        = 0;
    virtual void sum(DeviceId self, std::size_t communicator, std::span<std::int64_t> numbers,
                     DeviceQueue& queue)
        = 0;

    // Throws what has gone wrong on any rank since. Any thread.
    virtual void poll() = 0;
    // Whatever is under way ends, undone. Any thread, at once, more than once; all calls throw from
    // then on.
    virtual void abort() noexcept = 0;
};

// Joins all ranks; [DeviceId] -> device. std::runtime_error where a rank does not come in time.
using MakeCommunicators = std::function<std::unique_ptr<DeviceCommunicators>(
    const std::vector<const Device*>& devices, const std::vector<CommunicatorPlan>& plans)>;

} // namespace engine

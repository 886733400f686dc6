#pragma once

#include "engine/backend/device.h"
#include "engine/base/id.h"
#include "engine/base/units.h"

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

    friend bool operator==(const CommunicatorPlan&, const CommunicatorPlan&) = default;
};

// Multiprocessors that a communicator may take while it waits, each with a channel of NCCL's. All
// of a GPU's may be under way at once, and must find room then: four neighbours' messages in both
// directions and a few sums stay below what the smallest GPU has.
constexpr int kMessageChannels = 2, kSumChannels = 8;
constexpr int channelsOf(CommunicatorPlan::Carries carries)
{
    return carries == CommunicatorPlan::Carries::Sums ? kSumChannels : kMessageChannels;
}

// What NCCL takes of a GPU's memory for one channel to one other rank, in both directions, bytes.
// At the receiving end a buffer for each protocol (LL 512 KiB, LL128 4.69 MiB, simple 4 MiB:
// NCCL's src/init.cc, computeBuffSizes(); NCCL_BUFFSIZE changes the last), which the driver gives
// as 10 MiB, at the sending end one piece of 2 MiB (src/transport/p2p.cc). These two sizes and no
// others were seen on eight H100s: github.com/NVIDIA/nccl, issue 1685.
constexpr Bytes kNcclConnection = Bytes{12} << 20;

// What is to be kept free for a communicator on the GPU of each of its ranks, bytes. A rank of a
// message has one neighbour, one of a sum up to two, in the ring and the trees of NCCL alike.
constexpr Bytes communicatorBytes(const CommunicatorPlan& plan)
{
    const auto neighbours = static_cast<Bytes>(plan.ranks.size() > 2 ? 2 : 1);
    return kNcclConnection * channelsOf(plan.carries) * neighbours;
}

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

// Joins all ranks; [DeviceId] -> device. std::runtime_error where a rank does not come in time,
// Cancelled where the run was cancelled; then none is joined.
using MakeCommunicators = std::function<std::unique_ptr<DeviceCommunicators>(
    const std::vector<const Device*>& devices, const std::vector<CommunicatorPlan>& plans)>;

} // namespace engine

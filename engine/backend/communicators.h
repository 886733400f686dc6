#pragma once

#include "engine/backend/device.h"
#include "engine/base/id_vector.h"
#include "engine/base/units.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace engine {

// The purpose and the ranks of a communicator. A communicator for messages has two ranks: the
// sender, then the receiver.
struct CommunicatorPlan
{
    enum class Carries : std::uint8_t { Messages, Sums };

    std::string name; // used in error messages: "activations 2 -> 3"
    Carries carries = Carries::Messages;
    std::vector<DeviceId> ranks; // no two ranks are on the same GPU

    friend bool operator==(const CommunicatorPlan&, const CommunicatorPlan&) = default;
};

// The number of multiprocessors that a communicator may occupy while it waits, one per NCCL
// channel. All communicators of a GPU may be active at once. With these limits the messages of four
// neighbours in both directions and a few all-reduces fit on the smallest supported GPU.
constexpr int kMessageChannels = 2, kSumChannels = 8;
constexpr int channelsOf(CommunicatorPlan::Carries carries)
{
    return carries == CommunicatorPlan::Carries::Sums ? kSumChannels : kMessageChannels;
}

// Bytes of GPU memory that NCCL uses per channel and neighbour, for both directions together. The
// receiver has one buffer for each of NCCL's three protocols: LL 512 KiB, LL128 4.69 MiB, simple 4
// MiB (src/init.cc, computeBuffSizes(); NCCL_BUFFSIZE changes the size for simple). The driver
// rounds their sum up to 10 MiB. The sender has one buffer of 2 MiB (src/transport/p2p.cc). These
// sizes were observed on eight H100s: github.com/NVIDIA/nccl, issue 1685.
constexpr Bytes kNcclConnection = Bytes{12} << 20;

// A rank has one neighbour for messages, and up to two for all-reduces (in NCCL's ring and trees).
constexpr Bytes communicatorBytes(const CommunicatorPlan& plan)
{
    const Bytes neighbours = plan.ranks.size() > 2 ? 2 : 1;
    return kNcclConnection * channelsOf(plan.carries) * neighbours;
}

// Communicators between GPUs of this process, for a library such as NCCL that matches the calls of
// the ranks by their order. Only one thread at a time may make the calls of a device. Calls return
// at once and run in order on a queue of that device. A running call blocks its queue and occupies
// multiprocessors until the other ranks have made the matching call. Errors are thrown as
// std::runtime_error.
class DeviceCommunicators
{
public:
    DeviceCommunicators() = default;
    DeviceCommunicators(const DeviceCommunicators&) = delete;
    DeviceCommunicators& operator=(const DeviceCommunicators&) = delete;
    // Finalizes all ranks; all queues must be empty. After abort() it waits until the abort is
    // complete.
    virtual ~DeviceCommunicators() = default;

    // send() is called on the first rank, receive() on the second, with the same size.
    virtual void send(DeviceId self, std::size_t communicator, std::span<const std::byte> from,
                      DeviceQueue& queue)
        = 0;
    virtual void receive(DeviceId self, std::size_t communicator, std::span<std::byte> to,
                         DeviceQueue& queue)
        = 0;
    // Sums in place, with the same size on all ranks. The library chooses the order in which floats
    // are added.
    virtual void sum(DeviceId self, std::size_t communicator, std::span<float> numbers,
                     DeviceQueue& queue)
        = 0;
    virtual void sum(DeviceId self, std::size_t communicator, std::span<std::int64_t> numbers,
                     DeviceQueue& queue)
        = 0;

    // Throws the first error that a rank has reported. Thread-safe.
    virtual void poll() = 0;
    // Ends all running calls without completing them. Later calls of other functions throw. Returns
    // at once. Thread-safe; may be called again.
    virtual void abort() noexcept = 0;
};

// Joins the ranks of all `plans`. Throws std::runtime_error if a rank does not join in time, and
// Cancelled if the run is cancelled. In both cases no rank stays joined.
using MakeCommunicators = std::function<std::unique_ptr<DeviceCommunicators>(
    const IdVector<DeviceId, const Device*>& devices, const std::vector<CommunicatorPlan>& plans)>;

} // namespace engine

#pragma once

#include "engine/base/id_vector.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace engine {

// A tensor sent from one device to another. Both ends are known before the run: the receiver
// owns the slot, and the sender writes into it.
struct Message
{
    DeviceId from, to;
    std::span<const std::byte> source; // the sender's
    std::span<std::byte> slot;         // the receiver's
    enum class Carries : std::uint8_t { Activation, Gradient } carries = Carries::Activation;
};

// A copy between a pair of devices, concurrent with compute of its owner: EVICT and LOAD.
struct Copy
{
    DeviceId owner, peer;
    std::span<const std::byte> source;
    std::span<std::byte> target;
    bool toPeer = true; // otherwise from the peer
};

// Buffers of equal length that are all set to their sum, added in the order of the members:
// floats, or integers with `--accumulate exact`.
struct Collective
{
    std::vector<DeviceId> members;
    std::vector<std::span<float>> floats;          // [member]
    std::vector<std::span<std::int64_t>> integers; // [member]; if not empty, these are summed
    StageId stage = {}; // of the gradient; for tied embeddings the common stage
};

// All transfers of an iteration, numbered.
struct Traffic
{
    std::vector<Message> messages;
    std::vector<Copy> copies;
    std::vector<Collective> collectives;
};

// A condition that a device can wait for.
struct Fence
{
    enum class Kind : std::uint8_t {
        Credit,  // the slot of message `id` is free
        Arrived, // message `id` is in its slot
        Copied,  // copy `id` is complete
        Reduced, // collective `id` is complete
    };

    Kind kind = Kind::Arrived;
    std::uint32_t id = 0;

    friend bool operator==(const Fence&, const Fence&) = default;
};

// Begin and end of a transfer, CLOCK_MONOTONIC in ns, excluding the time it waited.
struct TransferTime
{
    std::int64_t begin = 0, end = 0;
};

// Moves tensors between devices. An executor calls it from one thread per device (`self`) in
// program order. The "lane" is what executes the device's compute ops: on a CPU the calling
// thread, which sleeps in wait(); with CUDA a stream, where every call returns at once and
// wait() makes the stream wait for an event. If messages are matched by order (NCCL, MPI),
// receive() posts the receive. Between iterations no transfer is running.
class Transport
{
public:
    Transport() = default;
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;
    virtual ~Transport() = default;

    // Resets all fences. Call before any device starts; not during an iteration.
    virtual void beginIteration() = 0;
    // The receiver frees the slot of the message, after the work queued so far on its lane.
    virtual void post(DeviceId self, std::uint32_t message) = 0;
    // Sends once the slot is free. False: aborted.
    virtual bool send(DeviceId self, std::uint32_t message) = 0;
    // The position of the receive in the receiver's program; the slot was posted before. Arrived
    // passes when the message is complete. Between two devices, messages of one kind are
    // received in the order of the sends.
    virtual void receive(DeviceId self, std::uint32_t message) = 0;
    // Start after the work queued so far, concurrent with later work; Copied and Reduced pass at
    // the end.
    virtual void copy(DeviceId self, std::uint32_t copy) = 0;
    virtual void allReduce(DeviceId self, std::uint32_t collective) = 0;
    // The lane continues after the fence has passed. False: aborted.
    virtual bool wait(DeviceId self, Fence fence) = 0;

    // Wakes all waiting threads, for the rest of the transport's life. Thread-safe.
    virtual void abort() = 0;
    // Throws std::runtime_error if the transport has failed, which fences would not report.
    // Thread-safe, during an iteration.
    virtual void poll() = 0;
    virtual bool hasPassed(Fence fence) const = 0;
    // Of the last iteration, after its end.
    virtual TransferTime timeOf(Fence fence) const = 0;
};

} // namespace engine

#pragma once

#include "engine/base/id_vector.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace engine {

// A tensor that one device sends to another. Its memory is known before the run: the receiver owns
// the slot, and the sender writes into it.
struct Message
{
    DeviceId from, to;
    std::span<const std::byte> source; // memory of the sender
    std::span<std::byte> slot;         // memory of the receiver
    enum class Carries : std::uint8_t { Activation, Gradient } carries = Carries::Activation;
};

// A copy between a pair of devices (EVICT or LOAD), concurrent with the owner's compute.
struct Copy
{
    DeviceId owner, peer;
    std::span<const std::byte> source;
    std::span<std::byte> target;
    bool toPeer = true; // true: owner to peer; false: peer to owner
};

// Buffers of equal length, each of which is set to the sum of all. The buffers are floats, or
// integers with `--accumulate exact`, and are added in the order of the members.
struct Collective
{
    std::vector<DeviceId> members;
    std::vector<std::span<float>> floats;          // [member]
    std::vector<std::span<std::int64_t>> integers; // [member]; replaces `floats` if set
    StageId stage = {}; // stage of the gradient; for tied embeddings the first stage
};

// All transfers of an iteration. The id of a transfer is its index in one of these lists.
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

// The time of a transfer in ns of CLOCK_MONOTONIC, without the wait before it.
struct TransferTime
{
    std::int64_t begin = 0, end = 0;
};

// Moves tensors between devices. An executor calls it from one thread per device (`self`), in
// program order. A device's compute ops run on its stream. On a CPU the stream is the calling
// thread, which sleeps in wait(). With CUDA every call returns at once, and wait() makes the CUDA
// stream wait for an event. If messages are matched by order (NCCL, MPI), receive() posts the
// receive. Between iterations no transfer is running.
class Transport
{
public:
    Transport() = default;
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;
    virtual ~Transport() = default;

    // Resets all fences. Call it before any device starts an iteration.
    virtual void beginIteration() = 0;
    // Called by the receiver: frees the slot of the message when the work queued so far on the
    // receiver's stream has ended.
    virtual void post(DeviceId self, std::uint32_t message) = 0;
    // Sends the message when its slot is free. Returns false if aborted.
    virtual bool send(DeviceId self, std::uint32_t message) = 0;
    // Called at the position of the RECV in the receiver's program; the slot was posted before.
    // When the message is complete, its fence (Arrived) passes. Activations between two devices are
    // received in the order in which they are sent, and so are gradients.
    virtual void receive(DeviceId self, std::uint32_t message) = 0;
    // copy() and allReduce() start after the work queued so far and run concurrently with later
    // work. On completion, their fences (Copied, Reduced) pass.
    virtual void copy(DeviceId self, std::uint32_t copy) = 0;
    virtual void allReduce(DeviceId self, std::uint32_t collective) = 0;
    // Makes the stream continue only after the fence has passed. Returns false if aborted.
    virtual bool wait(DeviceId self, Fence fence) = 0;

    // Wakes all waiting threads; every later wait fails. Thread-safe.
    virtual void abort() = 0;
    // Throws std::runtime_error if the transport has failed, because a fence would then never pass.
    // Thread-safe; call it during an iteration.
    virtual void poll() = 0;
    virtual bool hasPassed(Fence fence) const = 0;
    // Of the last iteration. Call it after the iteration has ended.
    virtual TransferTime timeOf(Fence fence) const = 0;
};

} // namespace engine

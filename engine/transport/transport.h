#pragma once

#include "engine/base/id.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace engine {

// A tensor that goes from one device to another. Both ends are known before the run: the receiver
// owns the slot in which it lands, the sender pushes.
struct Message
{
    DeviceId from, to;
    std::span<const std::byte> source; // the sender's
    std::span<std::byte> slot;         // the receiver's
    enum class Carries : std::uint8_t { Activation, Gradient } carries = Carries::Activation;
};

// A copy over the link of a pair of devices, beside the compute lane of its owner: EVICT and LOAD.
struct Copy
{
    DeviceId owner, peer;
    std::span<const std::byte> source;
    std::span<std::byte> target;
    bool toPeer = true; // else from it
};

// Buffers of one length that all become their sum, added in the order of the members: floats, or
// with `--accumulate exact` integers.
struct Collective
{
    std::vector<DeviceId> members;
    std::vector<std::span<float>> floats; // [member]
    std::vector<std::span<std::int64_t>>
        integers;       // [member]; where there are some, these are summed
    StageId stage = {}; // whose gradient it is, or under which tied ends meet
};

// Everything that one iteration sends, numbered.
struct Traffic
{
    std::vector<Message> messages;
    std::vector<Copy> copies;
    std::vector<Collective> collectives;
};

// What a compute lane can wait for.
struct Fence
{
    enum class Kind : std::uint8_t {
        Credit,  // message `id` may be pushed: its slot is posted
        Arrived, // message `id` lies in its slot
        Copied,  // copy `id` is done
        Reduced, // collective `id` is done
    };

    Kind kind = Kind::Arrived;
    std::uint32_t id = 0;

    friend bool operator==(const Fence&, const Fence&) = default;
};

// When a transfer was under way, CLOCK_MONOTONIC in ns: without the time for which it waited.
struct TransferTime
{
    std::int64_t begin = 0, end = 0;
};

// Moves tensors between devices. An executor calls it from one thread per device (`self`), in the
// order of that device's program, and never asks how: "lane" is what runs the device's compute ops.
// On a CPU the lane is the calling thread, and wait() is where it sleeps. With CUDA the lane is a
// stream: every call returns at once, wait() makes the stream wait for an event, and what follows
// is queued. Where messages are matched by their order instead of pushed (NCCL, MPI), a receive is
// called by receive(). Between iterations nothing is under way.
class Transport
{
public:
    Transport() = default;
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;
    virtual ~Transport() = default;

    // Before any device begins; all fences are unpassed. Not while an iteration runs.
    virtual void beginIteration() = 0;
    // The receiver gives the slot of the message free: after all that its lane has done so far.
    virtual void post(DeviceId self, std::uint32_t message) = 0;
    // Pushes, once the slot is posted. False: aborted.
    virtual bool send(DeviceId self, std::uint32_t message) = 0;
    // The receiver's place in its program for the message, which was posted before: Arrived tells
    // of its end. Of two devices, messages of one kind are received in the order in which they are
    // sent.
    virtual void receive(DeviceId self, std::uint32_t message) = 0;
    // Start beside the lane, after all that it has done so far; Copied and Reduced tell the end.
    virtual void copy(DeviceId self, std::uint32_t copy) = 0;
    virtual void allReduce(DeviceId self, std::uint32_t collective) = 0;
    // The lane goes on when the fence has passed. False: aborted.
    virtual bool wait(DeviceId self, Fence fence) = 0;

    // From any thread: whoever waits gives up. For the rest of the transport's life.
    virtual void abort() = 0;
    // From any thread, while an iteration runs: std::runtime_error where what carries has failed,
    // of which no fence would tell.
    virtual void poll() = 0;
    virtual bool hasPassed(Fence fence) const = 0;
    // Of the iteration, after its end.
    virtual TransferTime timeOf(Fence fence) const = 0;
};

} // namespace engine

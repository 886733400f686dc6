#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace engine {

// A moment among what a queue has to do: once recorded, it passes when all that was queued before
// it has ended.
class DeviceEvent
{
public:
    DeviceEvent() = default;
    DeviceEvent(const DeviceEvent&) = delete;
    DeviceEvent& operator=(const DeviceEvent&) = delete;
    virtual ~DeviceEvent() = default;

    // Of the last recording. Never blocks; any thread. std::runtime_error where the device has
    // failed.
    virtual bool hasPassed() const = 0;
    // When, CLOCK_MONOTONIC in ns, once it has passed; of a timed event, after Device::anchor().
    virtual std::int64_t time() const = 0;
    // ns from `begin`, of the same device; both are timed and have passed.
    virtual std::int64_t nanosecondsSince(const DeviceEvent& begin) const = 0;
};

// A tensor that goes from one GPU's memory to another's, or stays within one.
struct DeviceCopy
{
    std::span<const std::byte> source;
    std::span<std::byte> target; // as long
    int from = 0, to = 0;        // Device::gpu() of each
};

// Work that was queued once and is kept, to be queued again as one piece.
class DeviceGraph
{
public:
    DeviceGraph() = default;
    DeviceGraph(const DeviceGraph&) = delete;
    DeviceGraph& operator=(const DeviceGraph&) = delete;
    virtual ~DeviceGraph() = default; // when all that launched it has ended
};

// Work of a device in its order: a stream of a GPU. Calls return at once. One thread at a time
// queues; std::runtime_error where the device fails.
class DeviceQueue
{
public:
    DeviceQueue() = default;
    DeviceQueue(const DeviceQueue&) = delete;
    DeviceQueue& operator=(const DeviceQueue&) = delete;
    virtual ~DeviceQueue() = default; // when all has ended

    virtual void record(DeviceEvent& event) = 0; // of the same device
    // What is queued from here on begins when the event has passed, as it was last recorded: an
    // event that was never recorded holds nothing up. Of any device.
    virtual void wait(const DeviceEvent& event) = 0;
    virtual void copy(const DeviceCopy& copy) = 0;
    // y += x, in the device's memory.
    virtual void add(std::span<const float> x, std::span<float> y) = 0;
    virtual void add(std::span<const std::int64_t> x, std::span<std::int64_t> y) = 0;

    // What `work` queues here is not done but kept: memory and numbers that it names stay as they
    // are. It waits for nothing. Throws what `work` throws, and then keeps nothing.
    virtual std::unique_ptr<DeviceGraph> capture(const std::function<void()>& work) = 0;
    virtual void launch(const DeviceGraph& graph) = 0; // of this queue
};

} // namespace engine

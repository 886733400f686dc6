#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace engine {

// A point in a queue: it passes when all work queued before its last recording has ended.
class DeviceEvent
{
public:
    DeviceEvent() = default;
    DeviceEvent(const DeviceEvent&) = delete;
    DeviceEvent& operator=(const DeviceEvent&) = delete;
    virtual ~DeviceEvent() = default;

    // Of the last recording. Never blocks; thread-safe. Throws std::runtime_error if the device
    // has failed.
    virtual bool hasPassed() const = 0;
    // The time of passing, CLOCK_MONOTONIC in ns. Requires a timed event that has passed, and
    // Device::anchor().
    virtual std::int64_t time() const = 0;
    // ns from `begin`, of the same device; both are timed and have passed.
    virtual std::int64_t nanosecondsSince(const DeviceEvent& begin) const = 0;
};

// A copy between the memories of two GPUs, or within one.
struct DeviceCopy
{
    std::span<const std::byte> source;
    std::span<std::byte> target; // same size
    int from = 0, to = 0;        // Device::gpu() of each
};

// Recorded work that can be launched repeatedly.
class DeviceGraph
{
public:
    DeviceGraph() = default;
    DeviceGraph(const DeviceGraph&) = delete;
    DeviceGraph& operator=(const DeviceGraph&) = delete;
    virtual ~DeviceGraph() = default; // requires that all launches have ended
};

// A queue of work in order: a CUDA stream. Calls return at once. One thread at a time may queue;
// throws std::runtime_error if the device fails.
class DeviceQueue
{
public:
    DeviceQueue() = default;
    DeviceQueue(const DeviceQueue&) = delete;
    DeviceQueue& operator=(const DeviceQueue&) = delete;
    virtual ~DeviceQueue() = default; // requires that all work has ended

    virtual void record(DeviceEvent& event) = 0; // of the same device
    // Work queued from now on waits for the last recording of the event, of any device. An event
    // that was never recorded does not block.
    virtual void wait(const DeviceEvent& event) = 0;
    virtual void copy(const DeviceCopy& copy) = 0;
    // y += x, in device memory.
    virtual void add(std::span<const float> x, std::span<float> y) = 0;
    virtual void add(std::span<const std::int64_t> x, std::span<std::int64_t> y) = 0;

    // Records what `work` queues here instead of executing it; the memory and numbers used must
    // stay valid. Rethrows exceptions of `work` and then records nothing.
    virtual std::unique_ptr<DeviceGraph> capture(const std::function<void()>& work) = 0;
    virtual void launch(const DeviceGraph& graph) = 0; // recorded on this queue
};

} // namespace engine

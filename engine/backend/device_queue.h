#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace engine {

// An event of a queue. It passes when all work that was queued before its last recording has ended.
class DeviceEvent
{
public:
    DeviceEvent() = default;
    DeviceEvent(const DeviceEvent&) = delete;
    DeviceEvent& operator=(const DeviceEvent&) = delete;
    virtual ~DeviceEvent() = default;

    // Whether the last recording has passed. Never blocks; thread-safe. Throws std::runtime_error
    // if the device has failed.
    virtual bool hasPassed() const = 0;
    // ns of CLOCK_MONOTONIC. Requires a timed event that has passed, and an earlier
    // Device::anchor().
    virtual std::int64_t time() const = 0;
    // `begin` is an event of the same device. Both must be timed and have passed.
    virtual std::int64_t nanosecondsSince(const DeviceEvent& begin) const = 0;
};

// A copy between the memories of two GPUs, or within one.
struct DeviceCopy
{
    std::span<const std::byte> source;
    std::span<std::byte> target; // has the size of `source`
    int from = 0, to = 0;        // Device::gpu() of the source and of the target
};

// Captured work that can be launched repeatedly (a CUDA graph).
class DeviceGraph
{
public:
    DeviceGraph() = default;
    DeviceGraph(const DeviceGraph&) = delete;
    DeviceGraph& operator=(const DeviceGraph&) = delete;
    virtual ~DeviceGraph() = default; // requires that all launches have ended
};

// Executes work in order, as a CUDA stream does. Calls return at once. Not thread-safe. Throws
// std::runtime_error if the device fails.
class DeviceQueue
{
public:
    DeviceQueue() = default;
    DeviceQueue(const DeviceQueue&) = delete;
    DeviceQueue& operator=(const DeviceQueue&) = delete;
    virtual ~DeviceQueue() = default; // requires that all work has ended

    virtual void record(DeviceEvent& event) = 0; // `event` must be of the same device
    // Makes all work that is queued after this call wait for the last recording of `event`, which
    // may belong to another device. An event that was never recorded does not block.
    virtual void wait(const DeviceEvent& event) = 0;
    virtual void copy(const DeviceCopy& copy) = 0;
    // y += x, in device memory.
    virtual void add(std::span<const float> x, std::span<float> y) = 0;
    virtual void add(std::span<const std::int64_t> x, std::span<std::int64_t> y) = 0;

    // Captures the calls that `work` queues here instead of executing them. Their memory must stay
    // valid. If `work` throws, nothing is captured and the exception is rethrown.
    virtual std::unique_ptr<DeviceGraph> capture(const std::function<void()>& work) = 0;
    // `graph` must have been captured on this queue.
    virtual void launch(const DeviceGraph& graph) = 0;
};

} // namespace engine

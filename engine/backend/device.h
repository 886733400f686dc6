#pragma once

#include "engine/backend/device_queue.h"
#include "engine/backend/kernels.h"
#include "engine/base/units.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <string>

namespace engine {

// Memory of a device, given back with the pointer.
using DeviceMemory = std::unique_ptr<std::byte[], std::function<void(std::byte*)>>;

struct DeviceInfo
{
    std::string name;    // "AMD EPYC, 1 BLAS thread"
    std::string library; // "OpenBLAS 0.3.21, SkylakeX kernels"
    Bytes memory = 0;    // available now
};

// What memory is asked for.
enum class MemoryFor : std::uint8_t { Arena, Workspace, Staging, Losses, Other };
constexpr std::size_t kMemoryPurposes = 5;

// Memory of a GPU, bytes.
struct GpuMemoryUse
{
    std::array<Bytes, kMemoryPurposes> taken{}; // by this device, now
    Bytes rounding = 0; // that it got more than it asked for, as the driver counts
    Bytes used = 0;     // in use as the driver reports, by any process
    Bytes before = 0;   // of which it was gone before the first device was opened: contexts

    Bytes all() const { return std::accumulate(taken.begin(), taken.end(), rounding); }
};

// What ops run on: one accelerator, or one thread of the CPU.
class Device
{
public:
    Device() = default;
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;
    virtual ~Device() = default;

    virtual DeviceInfo info() const = 0;
    virtual const Kernels<float>& kernels() const = 0;
    // On the same memory and in the same order; none where the device computes in fp32 alone.
    virtual const Kernels<bfloat16>* bfloat16Kernels() const { return nullptr; }
    // The same as kernels(), but that products round their operands to tf32, 10 bits behind the
    // point, and so use tensor cores; none where the device has no tf32.
    virtual const Kernels<float>* tf32Kernels() const { return nullptr; }

    // Aligned to 256 bytes, of no particular contents. std::bad_alloc. The device outlives it.
    virtual DeviceMemory allocate(Bytes bytes, MemoryFor purpose) const = 0;
    DeviceMemory allocate(Bytes bytes) const { return allocate(bytes, MemoryFor::Other); }
    // Between this process's memory and the device's, in the order of its ops; done on return.
    virtual void upload(std::span<const std::byte> from, std::byte* to) const = 0;
    virtual void download(const std::byte* from, std::span<std::byte> to) const = 0;
    // `value` in every byte, in the order of the ops.
    virtual void fill(std::span<std::byte> memory, std::byte value) const = 0;
    // Until every op has ended. std::runtime_error names what failed.
    virtual void synchronize() const = 0;

    // Where the ops are queued, on a GPU; nullptr on a CPU, where they are done when a call
    // returns. What follows is of such devices alone.
    virtual DeviceQueue* lane() const { return nullptr; }
    // A queue beside the lane, on the same part of the GPU; `role` is what profilers call it:
    // "messages". The device outlives it and the events.
    virtual std::unique_ptr<DeviceQueue> makeQueue(const std::string& /*role*/) const
    {
        return nullptr;
    }
    enum class Timed : std::uint8_t { No, Yes };
    virtual std::unique_ptr<DeviceEvent> makeEvent(Timed) const { return nullptr; }
    // The calling thread works for this device from here on: before it calls kernels.
    virtual void bindThread() const { }
    // Ties the times of events to CLOCK_MONOTONIC, anew before every iteration, since the two
    // clocks drift apart. While nothing is queued.
    virtual void anchor() const { }
    virtual GpuMemoryUse memoryUse() const { return {}; }
    virtual int gpu() const { return -1; } // its number among those of the process
};

} // namespace engine

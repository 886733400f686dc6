#pragma once

#include "engine/backend/device_queue.h"
#include "engine/backend/kernels.h"
#include "engine/base/id_vector.h"
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

// Memory of a device, freed by the pointer.
using DeviceMemory = std::unique_ptr<std::byte[], std::function<void(std::byte*)>>;

struct DeviceInfo
{
    std::string name;    // "AMD EPYC, 1 BLAS thread"
    std::string library; // "OpenBLAS 0.3.21, SkylakeX kernels"
    Bytes memory = 0;    // bytes that are currently free
};

// The purpose of an allocation. Host is memory of the host that the device copies to and from (on a
// GPU, pinned memory); it does not count as memory of the device.
enum class MemoryFor : std::uint8_t { Arena, Workspace, Staging, Losses, Other, Host };
constexpr std::size_t kMemoryPurposes = 6;

// Memory of a GPU in bytes.
struct GpuMemoryUse
{
    EnumArray<MemoryFor, Bytes, kMemoryPurposes> taken{}; // currently allocated by this device
    Bytes rounding = 0; // additional bytes, because the driver rounds allocations up
    Bytes used = 0;     // used by all programs, as reported by the driver
    Bytes before = 0;   // used by all programs before the first device was opened

    Bytes all() const { return std::accumulate(taken.begin(), taken.end(), rounding); }
};

// Executes ops. A device is one accelerator or one CPU thread.
class Device
{
public:
    Device() = default;
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;
    virtual ~Device() = default;

    virtual DeviceInfo info() const = 0;
    virtual const Kernels<float>& kernels() const = 0;
    // On the same memory and stream as kernels(); nullptr if the device supports only fp32.
    virtual const Kernels<bfloat16>* bfloat16Kernels() const { return nullptr; }
    // Like kernels(), but matrix products round their operands to tf32 (10-bit mantissa) and use
    // tensor cores; nullptr if the device has no tf32.
    virtual const Kernels<float>* tf32Kernels() const { return nullptr; }

    // Uninitialized and aligned to 256 bytes. Throws std::bad_alloc. The device must outlive the
    // memory.
    virtual DeviceMemory allocate(Bytes bytes, MemoryFor purpose) const = 0;
    DeviceMemory allocate(Bytes bytes) const { return allocate(bytes, MemoryFor::Other); }
    // Copy between host and device memory, after the ops queued so far. Synchronous.
    virtual void upload(std::span<const std::byte> from, std::byte* to) const = 0;
    virtual void download(const std::byte* from, std::span<std::byte> to) const = 0;
    // Sets every byte to `value`, after the ops queued so far.
    virtual void fill(std::span<std::byte> memory, std::byte value) const = 0;
    // Waits until every op has ended. Throws std::runtime_error if an op failed; the message names
    // the op.
    virtual void synchronize() const = 0;

    // nullptr on a CPU, where calls are synchronous. The functions below are for devices with a
    // queue.
    virtual DeviceQueue* queue() const { return nullptr; }
    // Makes another queue on the same GPU or partition. `role` is its name in profilers:
    // "messages". The device must outlive the queue and its events.
    virtual std::unique_ptr<DeviceQueue> makeQueue(const std::string& /*role*/) const
    {
        return nullptr;
    }
    enum class Timed : std::uint8_t { No, Yes };
    virtual std::unique_ptr<DeviceEvent> makeEvent(Timed) const { return nullptr; }
    // Makes this device current for the calling thread. Call it before using kernels.
    virtual void bindThread() const { }
    // Reads the clocks of device and host, to convert event times to CLOCK_MONOTONIC. Requires
    // empty queues. Call it before every iteration, because the clocks drift.
    virtual void anchor() const { }
    virtual GpuMemoryUse memoryUse() const { return {}; }
    virtual int gpu() const { return -1; } // index among the GPUs of the process
};

} // namespace engine

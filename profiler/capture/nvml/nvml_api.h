#pragma once

#include "engine/base/result.h"

namespace profiler {

// The part of NVML that is used, as functions to call: of the library on this machine, which comes
// with the driver, or of a test. NVML's interface is versioned by name and does not change; it is
// written down here since many toolkits come without nvml.h, and compared with that header where
// one is (compare_with_header.cpp).
struct NvmlApi
{
    using Status = int; // 0: success
    using Device = struct nvmlDevice_st*;
    enum Clock : int { SmClock = 1, MemoryClock = 2 };
    static constexpr int kGpuSensor = 0;

    Status (*init)() = nullptr;
    Status (*shutdown)() = nullptr;
    const char* (*errorString)(Status) = nullptr;
    Status (*deviceByBus)(const char* busId, Device*) = nullptr;
    Status (*clock)(Device, int clock, unsigned* megahertz) = nullptr;
    Status (*power)(Device, unsigned* milliwatts) = nullptr;
    Status (*temperature)(Device, int sensor, unsigned* celsius) = nullptr;
    Status (*throttle)(Device, unsigned long long* reasons) = nullptr;
};

// Of this machine. Device: it is not there, or lacks a function.
engine::Result<NvmlApi> loadNvml();

} // namespace profiler

#pragma once

#include "engine/base/result.h"

namespace profiler {

// The functions of NVML that this program uses. They come from the library of this machine (which
// is part of the driver) or from a test. NVML's interface is versioned by name and does not change.
// It is declared here because many toolkits lack nvml.h. Where nvml.h is installed,
// tests/profiler/capture/nvml_header.cpp compares its declarations with these.
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

// Loads NVML from the driver of this machine. Fails with Error::Code::Device if it is missing or
// lacks a function.
engine::Result<NvmlApi> loadNvml();

} // namespace profiler

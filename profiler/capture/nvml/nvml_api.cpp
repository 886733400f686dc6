#include "profiler/capture/nvml/nvml_api.h"

#include "engine/base/toolkit_library.h"
#include "engine/timeline/gpu_trace.h"

#include <fmt/format.h>

#include <type_traits>

#if __has_include(<nvml.h>)
#include <nvml.h>
static_assert(sizeof(nvmlReturn_t) == sizeof(profiler::NvmlApi::Status) && NVML_SUCCESS == 0);
static_assert(sizeof(nvmlClockType_t) == sizeof(int)
              && sizeof(nvmlTemperatureSensors_t) == sizeof(int));
static_assert(NVML_CLOCK_SM == int{profiler::NvmlApi::SmClock}
              && NVML_CLOCK_MEM == int{profiler::NvmlApi::MemoryClock}
              && NVML_TEMPERATURE_GPU == profiler::NvmlApi::kGpuSensor);
static_assert(nvmlClocksThrottleReasonSwPowerCap
                  == static_cast<unsigned long long>(engine::Throttle::PowerCap)
              && nvmlClocksThrottleReasonHwSlowdown
                  == static_cast<unsigned long long>(engine::Throttle::Hardware)
              && nvmlClocksThrottleReasonSwThermalSlowdown
                  == static_cast<unsigned long long>(engine::Throttle::Heat)
              && nvmlClocksThrottleReasonHwThermalSlowdown
                  == static_cast<unsigned long long>(engine::Throttle::HardwareHeat)
              && nvmlClocksThrottleReasonHwPowerBrakeSlowdown
                  == static_cast<unsigned long long>(engine::Throttle::PowerBrake)
              && nvmlClocksThrottleReasonGpuIdle
                  == static_cast<unsigned long long>(engine::Throttle::Idle));
// Functions of the same parameters, but for enumerations in the place of int.
static_assert(
    std::is_same_v<decltype(&nvmlDeviceGetPowerUsage), nvmlReturn_t (*)(nvmlDevice_t, unsigned*)>);
static_assert(std::is_same_v<decltype(&nvmlDeviceGetClockInfo),
                             nvmlReturn_t (*)(nvmlDevice_t, nvmlClockType_t, unsigned*)>);
static_assert(std::is_same_v<decltype(&nvmlDeviceGetTemperature),
                             nvmlReturn_t (*)(nvmlDevice_t, nvmlTemperatureSensors_t, unsigned*)>);
static_assert(std::is_same_v<decltype(&nvmlDeviceGetCurrentClocksThrottleReasons),
                             nvmlReturn_t (*)(nvmlDevice_t, unsigned long long*)>);
static_assert(std::is_same_v<decltype(&nvmlDeviceGetHandleByPciBusId_v2),
                             nvmlReturn_t (*)(const char*, nvmlDevice_t*)>);
#endif

namespace profiler {

using engine::Error;
using engine::fail;
using engine::Result;

Result<NvmlApi> loadNvml()
{
    const engine::ToolkitLibrary library("NVML", {"libnvidia-ml.so.1"});
    if (!library)
        return fail(Error::Code::Device,
                    "libnvidia-ml.so.1 was not found: it comes with the NVIDIA driver");
    const char* missing = nullptr;
    const auto take = [&](auto& function, const char* name) {
        function = library.symbol<std::remove_reference_t<decltype(function)>>(name);
        if (function == nullptr && missing == nullptr)
            missing = name;
    };
    NvmlApi api;
    take(api.init, "nvmlInit_v2");
    take(api.shutdown, "nvmlShutdown");
    take(api.errorString, "nvmlErrorString");
    take(api.deviceByBus, "nvmlDeviceGetHandleByPciBusId_v2");
    take(api.clock, "nvmlDeviceGetClockInfo");
    take(api.power, "nvmlDeviceGetPowerUsage");
    take(api.temperature, "nvmlDeviceGetTemperature");
    take(api.throttle, "nvmlDeviceGetCurrentClocksThrottleReasons");
    if (missing != nullptr)
        return fail(Error::Code::Device,
                    fmt::format("{} has no {}: the driver is too old", library.file(), missing));
    return api;
}

} // namespace profiler

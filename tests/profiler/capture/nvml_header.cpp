// Compares nvml_api.h with nvml.h. Compiled only where nvml.h is installed.
#include "engine/timeline/gpu_trace.h"
#include "profiler/capture/nvml/nvml_api.h"

#include <nvml.h>

#include <type_traits>

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
// These functions have enumeration parameters where nvml_api.h declares int.
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

#include "profiler/capture/nvml/nvml_api.h"

#include "engine/base/toolkit_library.h"

namespace profiler {

using namespace engine;

Result<NvmlApi> loadNvml()
{
    const ToolkitLibrary library("NVML", {"libnvidia-ml.so.1"});
    if (!library)
        return fail(Error::Code::Device,
                    "libnvidia-ml.so.1 was not found: it comes with the NVIDIA driver");
    NvmlApi api;
    ToolkitFunctions functions(library);
    functions.take(api.init, "nvmlInit_v2");
    functions.take(api.shutdown, "nvmlShutdown");
    functions.take(api.errorString, "nvmlErrorString");
    functions.take(api.deviceByBus, "nvmlDeviceGetHandleByPciBusId_v2");
    functions.take(api.clock, "nvmlDeviceGetClockInfo");
    functions.take(api.power, "nvmlDeviceGetPowerUsage");
    functions.take(api.temperature, "nvmlDeviceGetTemperature");
    functions.take(api.throttle, "nvmlDeviceGetCurrentClocksThrottleReasons");
    if (functions.missing() != nullptr)
        return fail(Error::Code::Device, "{} has no {}: update the NVIDIA driver", library.file(),
                    functions.missing());
    return api;
}

} // namespace profiler

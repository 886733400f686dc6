#include "app/cli/commands/gpu_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace cli {

using namespace engine;

namespace {

std::string lowerCase(std::string text)
{
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

// Joins the different texts in CudaDevice::fallback of all GPUs.
std::string fallbackOf(const CudaReport& cuda)
{
    std::string all;
    for (const CudaDevice& device : cuda.devices)
        if (all.find(device.fallback) == std::string::npos)
            all += (all.empty() ? "" : "; ") + device.fallback;
    return all;
}

GpuFacts factsOf(const CudaDevice& device, int number)
{
    return {number, device.name, device.bus, device.uuid, device.numbers};
}

} // namespace

GpuMachine gpuMachine(const CudaReport& cuda, const Run& run)
{
    GpuMachine machine;
    if (cuda.devices.empty())
        return machine;
    const int devices = run.schedule.shape.devices;
    if (run.info.mode == Mode::Emulate)
        for (int d = 0; d < devices; ++d) {
            GpuFacts& facts = machine.gpus.emplace_back(factsOf(cuda.devices.front(), d));
            facts.name += fmt::format(" (emulated, {} of {})", d + 1, devices);
        }
    else
        for (std::size_t i = 0; i < cuda.devices.size(); ++i)
            machine.gpus.push_back(factsOf(cuda.devices[i], static_cast<int>(i)));
    machine.peers = cuda.peers;
    const auto set = [&](const char* name, const std::string& value) {
        if (!value.empty())
            machine.settings.emplace_back(name, value);
    };
    set("cuda_driver", cuda.driver);
    set("cuda_runtime", cuda.runtime);
    for (const CudaLibrary& library : cuda.libraries)
        set(library.name == "NVML" ? "nvidia_driver" : lowerCase(library.name).c_str(),
            library.version);
    set("module_loading", cuda.moduleLoading);
    set("tf32", cuda.tf32);
    set("fallback", fallbackOf(cuda));
    for (const char* name : {"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_MAX_CONNECTIONS"})
        if (const char* value = std::getenv(name); value != nullptr)
            set(name, value);
    return machine;
}

} // namespace cli

#include "app/cli/text/devices_text.h"

#include "app/cli/text/output.h"
#include "profiler/analysis/measure.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cli {

using nlohmann::ordered_json;

namespace {
// Returns why runs cannot use a GPU; "" if they can.
std::string whyNoGpu(const engine::CudaReport& cuda)
{
    return cuda.reason.empty() ? "" : cuda.reason + "; runs use the CPU";
}

std::string gpuText(const engine::CudaReport& cuda)
{
    std::string text;
    for (const engine::CudaDevice& device : cuda.devices) {
        text += fmt::format("gpu   {}, sm_{}{}, {} SMs ({}), {}\n", device.name, device.major,
                            device.minor, device.multiprocessors,
                            device.partition > 0
                                ? fmt::format("partitions of {} SMs or more", device.partition)
                                : "no partitions",
                            profiler::bytesText(device.memory));
        if (!device.fallback.empty())
            text += fmt::format("      {}\n", device.fallback);
    }
    text += fmt::format("{} {}\n", cuda.devices.empty() ? "gpu   none:" : "     ",
                        cuda.reason.empty()
                            ? "modes: emulate, live (--backend cuda), in fp32, bf16 or tf32"
                            : whyNoGpu(cuda));
    if (!cuda.driver.empty())
        text += fmt::format("      the driver supports CUDA {}\n", cuda.driver);
    if (!cuda.runtime.empty())
        text += fmt::format("      plug-in with CUDA {}\n", cuda.runtime);
    for (const engine::CudaLibrary& library : cuda.libraries)
        text += fmt::format("      {:<8}  {}\n", library.name,
                            library.version.empty() ? library.reason : library.version);
    return text;
}

ordered_json orNull(const std::string& text)
{
    return text.empty() ? ordered_json() : ordered_json(text);
}

ordered_json cudaJson(const engine::CudaReport& cuda)
{
    ordered_json libraries = ordered_json::array(), devices = ordered_json::array();
    for (const engine::CudaLibrary& library : cuda.libraries)
        libraries.push_back({{"name", library.name},
                             {"version", orNull(library.version)},
                             {"file", orNull(library.file)},
                             {"reason", orNull(library.reason)}});
    for (const engine::CudaDevice& device : cuda.devices)
        devices.push_back({{"name", device.name},
                           {"compute_capability", fmt::format("{}.{}", device.major, device.minor)},
                           {"multiprocessors", device.multiprocessors},
                           {"smallest_partition", device.partition},
                           {"memory_bytes", device.memory},
                           {"fallback", orNull(device.fallback)}});
    return {{"driver", orNull(cuda.driver)},
            {"runtime", orNull(cuda.runtime)},
            {"libraries", libraries},
            {"devices", devices}};
}
} // namespace

std::string devicesText(const Machine& machine)
{
    return fmt::format("cpu   {}, {} {}, {} of memory free\n"
                       "      {}{}\n"
                       "      modes: {}\n{}",
                       machine.cpu, machine.cores, machine.cores == 1 ? "core" : "cores",
                       profiler::bytesText(machine.memory),
                       machine.computes ? "" : "cannot train: ", machine.arithmetic,
                       machine.computes ? "simulate, emulate, live" : "simulate",
                       gpuText(machine.cuda));
}

std::string devicesJson(const Machine& machine)
{
    ordered_json cpu{{"kind", "cpu"},
                     {"name", machine.cpu},
                     {"cores", machine.cores},
                     {"memory_bytes", machine.memory},
                     {"blas", machine.computes ? ordered_json(machine.arithmetic) : ordered_json()},
                     {"modes",
                      machine.computes ? ordered_json{"simulate", "emulate", "live"}
                                       : ordered_json{"simulate"}}};
    ordered_json devices = ordered_json::array({cpu}), missing = ordered_json::array();
    if (machine.cuda.reason.empty())
        for (const engine::CudaDevice& device : machine.cuda.devices)
            devices.push_back({{"kind", "cuda"},
                               {"name", device.name},
                               {"memory_bytes", device.memory},
                               {"modes", ordered_json::array({"emulate", "live"})}});
    else
        missing.push_back({{"kind", "cuda"}, {"reason", whyNoGpu(machine.cuda)}});
    if (!machine.computes)
        missing.push_back({{"kind", "cpu"}, {"reason", machine.arithmetic}});
    return jsonText(
        {{"devices", devices}, {"unavailable", missing}, {"cuda", cudaJson(machine.cuda)}});
}

} // namespace cli

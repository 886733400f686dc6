#include "app/cli/command.h"
#include "app/cli/output.h"
#include "engine/backend/cpu/cpu_device.h"
#include "profiler/analysis/words.h"

#include <CLI/CLI.hpp>
#include <dlfcn.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sched.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

namespace cli {

using nlohmann::ordered_json;

namespace {
struct Machine
{
    std::string cpu;
    unsigned cores = 0;
    std::int64_t memory = 0;
    std::string arithmetic; // of the CPU: the library, or why there is none
    bool computes = false;
    std::string noGpu; // why no GPU is used
};

// "model name : AMD EPYC ..." of /proc/cpuinfo.
std::string cpuName()
{
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.starts_with("model name"))
            if (const auto colon = line.find(": "); colon != std::string::npos)
                return line.substr(colon + 2);
    return "CPU";
}

// Those this process may use, which containers and taskset limit.
unsigned usableCores()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return static_cast<unsigned>(CPU_COUNT(&set));
    return std::thread::hardware_concurrency();
}

std::string whyNoGpu()
{
    constexpr const char* kLater = "this version has no CUDA backend";
    const std::unique_ptr<void, int (*)(void*)> driver(dlopen("libcuda.so.1", RTLD_LAZY), dlclose);
    std::error_code ignored;
    const bool device = std::filesystem::exists("/dev/nvidia0", ignored);
    if (driver)
        return fmt::format("the NVIDIA driver is here, but {}; runs use the CPU", kLater);
    if (device)
        return fmt::format("there is an NVIDIA device but no libcuda.so.1 (install the driver's "
                           "libcuda1), and {}; runs use the CPU",
                           kLater);
    return "no NVIDIA driver (libcuda.so.1 was not found); runs use the CPU";
}

Machine thisMachine()
{
    Machine machine;
    machine.cpu = cpuName();
    machine.cores = usableCores();
    machine.noGpu = whyNoGpu();
    const auto device = engine::openCpuDevice();
    machine.computes = device.has_value();
    if (device) {
        const engine::DeviceInfo info = (*device)->info();
        machine.memory = info.memory;
        machine.arithmetic = info.library;
    } else {
        machine.arithmetic = device.error().message;
    }
    return machine;
}

std::string asText(const Machine& machine)
{
    return fmt::format("cpu   {}, {} {}, {} of memory free\n"
                       "      {}{}\n"
                       "      modes: {}\n"
                       "gpu   none: {}\n",
                       machine.cpu, machine.cores, machine.cores == 1 ? "core" : "cores",
                       profiler::bytesText(machine.memory),
                       machine.computes ? "" : "cannot train: ", machine.arithmetic,
                       machine.computes ? "simulate, emulate" : "simulate", machine.noGpu);
}

std::string asJson(const Machine& machine)
{
    ordered_json cpu{
        {"kind", "cpu"},
        {"name", machine.cpu},
        {"cores", machine.cores},
        {"memory_bytes", machine.memory},
        {"blas", machine.computes ? ordered_json(machine.arithmetic) : ordered_json()},
        {"modes",
         machine.computes ? ordered_json{"simulate", "emulate"} : ordered_json{"simulate"}}};
    ordered_json missing = ordered_json::array({{{"kind", "cuda"}, {"reason", machine.noGpu}}});
    if (!machine.computes)
        missing.push_back({{"kind", "cpu"}, {"reason", machine.arithmetic}});
    return ordered_json{{"devices", ordered_json::array({cpu})}, {"unavailable", missing}}.dump(2)
        + "\n";
}
} // namespace

Action prepareDevices(CLI::App& app)
{
    const auto json = std::make_shared<bool>(false);
    app.add_flag("--json", *json, "Print JSON");
    return [json]() -> engine::Result<int> {
        const Machine machine = thisMachine();
        printText(*json ? asJson(machine) : asText(machine));
        return 0;
    };
}

} // namespace cli

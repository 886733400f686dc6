#include "app/cli/commands/devices.h"

#include "app/cli/commands/command.h"
#include "app/cli/commands/long_task.h"
#include "app/cli/options/options.h"
#include "app/cli/text/output.h"
#include "engine/backend/cpu/cpu_device.h"
#include "engine/backend/cuda_device.h"
#include "engine/base/process.h"
#include "engine/base/try.h"
#include "engine/base/version.h"
#include "engine/exec/measure_hardware.h"
#include "engine/experiment/experiment_fields.h"
#include "profiler/report/sheet.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <thread>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {
std::string whyNoGpu(const CudaReport& cuda)
{
    return cuda.reason.empty() ? "" : cuda.reason + "; runs use the CPU";
}

std::string gpuText(const CudaReport& cuda)
{
    std::string text;
    for (const CudaDevice& device : cuda.devices) {
        text += fmt::format("gpu   {}, sm_{}{}, {} SMs ({}), {}\n", device.name, device.major,
                            device.minor, device.multiprocessors,
                            device.partition > 0
                                ? fmt::format("partitions of {} SMs or more", device.partition)
                                : "no partitions",
                            bytesText(device.memory));
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
    for (const CudaLibrary& library : cuda.libraries)
        text += fmt::format("      {:<8}  {}\n", library.name,
                            library.version.empty() ? library.reason : library.version);
    return text;
}

constexpr std::array kLibrary{
    Measure({"name"}, Of<&CudaLibrary::name>()),
    Measure({"version"}, [](const CudaLibrary& library) { return textOrUnknown(library.version); }),
    Measure({"file"}, [](const CudaLibrary& library) { return textOrUnknown(library.file); }),
    Measure({"reason"}, [](const CudaLibrary& library) { return textOrUnknown(library.reason); }),
};
constexpr std::array kGpu{
    Measure({"name"}, Of<&CudaDevice::name>()),
    Measure({"compute_capability"},
            [](const CudaDevice& gpu) { return fmt::format("{}.{}", gpu.major, gpu.minor); }),
    Measure({"multiprocessors"}, Of<&CudaDevice::multiprocessors>()),
    Measure({"smallest_partition"}, Of<&CudaDevice::partition>()),
    Measure({"memory_bytes"}, Of<&CudaDevice::memory>()),
    Measure({"fallback"}, [](const CudaDevice& gpu) { return textOrUnknown(gpu.fallback); }),
};
} // namespace

std::string devicesText(const Machine& machine)
{
    return fmt::format(
        "cpu   {}, {} {}, {} of memory free\n"
        "      {}{}\n"
        "      modes: {}\n{}",
        machine.cpu, machine.cores, machine.cores == 1 ? "core" : "cores",
        bytesText(machine.memory), machine.computes ? "" : "cannot train: ", machine.arithmetic,
        machine.computes ? "simulate, emulate, live" : "simulate", gpuText(machine.cuda));
}

std::string devicesJson(const Machine& machine)
{
    const CudaReport& cuda = machine.cuda;
    Reading::List missing, modes{"simulate"};
    if (machine.computes)
        modes.insert(modes.end(), {"emulate", "live"});
    Reading::List devices{
        Reading::Fields{{"kind", "cpu"},
                        {"name", machine.cpu},
                        {"cores", machine.cores},
                        {"memory_bytes", machine.memory},
                        {"blas", machine.computes ? Reading(machine.arithmetic) : Reading()},
                        {"modes", modes}}};
    if (cuda.reason.empty())
        for (const CudaDevice& device : cuda.devices)
            devices.emplace_back(Reading::Fields{{"kind", "cuda"},
                                                 {"name", device.name},
                                                 {"memory_bytes", device.memory},
                                                 {"modes", Reading::List{"emulate", "live"}}});
    else
        missing.emplace_back(Reading::Fields{{"kind", "cuda"}, {"reason", whyNoGpu(cuda)}});
    if (!machine.computes)
        missing.emplace_back(Reading::Fields{{"kind", "cpu"}, {"reason", machine.arithmetic}});
    return jsonText(
        Reading::Fields{{"devices", devices},
                        {"unavailable", missing},
                        {"cuda",
                         Reading::Fields{{"driver", textOrUnknown(cuda.driver)},
                                         {"runtime", textOrUnknown(cuda.runtime)},
                                         {"libraries", Table(kLibrary, cuda.libraries).json()},
                                         {"devices", Table(kGpu, cuda.devices).json()}}}});
}

namespace {
// Returns the name of the CPU from the line "model name : AMD EPYC ..." in /proc/cpuinfo.
std::string cpuName()
{
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.starts_with("model name"))
            if (const auto colon = line.find(": "); colon != std::string::npos)
                return line.substr(colon + 2);
    return "CPU";
}

// Returns the number of cores that this process may use, which containers and taskset can limit.
unsigned usableCores()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return static_cast<unsigned>(CPU_COUNT(&set));
    return std::thread::hardware_concurrency();
}

Machine thisMachine()
{
    Machine machine;
    machine.cpu = cpuName();
    machine.cores = usableCores();
    machine.cuda = cudaReport();
    const auto device = openCpuDevice();
    machine.computes = device.has_value();
    if (device) {
        const DeviceInfo info = (*device)->info();
        machine.memory = info.memory;
        machine.arithmetic = info.library;
    } else {
        machine.arithmetic = device.error().message;
    }
    return machine;
}

struct DevicesOptions
{
    bool json = false, calibrate = false;
    Backend backend = Backend::Cpu;
    OutputOptions output;
};

// Returns the devices to measure: one device of the CPU, or the first two GPUs.
Result<MeasureHardware> devicesToMeasure(const DevicesOptions& options)
{
    MeasureHardware on;
    if (options.backend == Backend::Cpu) {
        on.devices.push_back(TRY(openCpuDevice()));
        on.devicesPerNode = static_cast<int>(usableCores());
        return on;
    }
    setCudaEnvironment();
    const int gpus = std::ssize(cudaReport().devices);
    // Opens two GPUs as a live run does, so that they have access to each other. Otherwise the
    // driver would copy through the host.
    on.devices = TRY(withAdvice(openCudaDevices(std::clamp(gpus, 1, 2), TransportChoice::Peer),
                                "; use --backend cpu to measure the CPU"));
    on.devicesPerNode = std::max(1, gpus);
    return on;
}

Result<int> calibrate(const DevicesOptions& options)
{
    const std::string& file = options.output.file;
    if (!file.empty() && file != "-" && !file.ends_with(".toml"))
        return invalid("-o {}: --hardware reads only files that end in .toml; choose "
                       "another name",
                       file);
    const Interrupt interrupt;
    auto on = TRY(devicesToMeasure(options));
    LongTask task("measuring");
    on.progress = [&task](std::string_view step) {
        constexpr double kSeconds = 0.5;
        task.next(fmt::format("measuring {}", step), kSeconds);
    };
    const auto hardware = TRY(measureHardware(on, interrupt.requested()));
    const std::string text
        = fmt::format("# Measured by {} on {}. The rates are attained rates, not peaks, so the "
                      "shares in [reached] are 1.\n"
                      "# The link was measured by copies between two {}; links between nodes are "
                      "assumed equal.\n",
                      buildId(), hostName(),
                      on.devices.front()->queue() == nullptr ? "threads"
                          : on.devices.size() > 1            ? "GPUs"
                                                             : "buffers on the only GPU")
        + hardwareToml(hardware);
    TRY(writeOutput(options.output, text));
    return 0;
}

} // namespace

Action prepareDevices(CLI::App& app)
{
    const auto options = std::make_shared<DevicesOptions>();
    auto* json = app.add_flag("--json", options->json, "Print JSON");
    auto* calibrate = app.add_flag("--calibrate", options->calibrate,
                                   "Measure matrix products, memory and the link between devices, "
                                   "and write them as a file for --hardware");
    calibrate->excludes(json);
    addExperimentOption(app, experimentField("--backend"), "auto",
                        [options](const Experiment& typed) { options->backend = typed.backend; });
    addOutputOptions(app, options->output,
                     "With --calibrate: the file to write (default: standard output)", "FILE.toml");
    app.get_option("--backend")->needs(calibrate);
    app.get_option("--output")->needs(calibrate);
    return [options]() -> Result<int> {
        if (options->calibrate)
            return cli::calibrate(*options);
        const Machine machine = thisMachine();
        printText(options->json ? devicesJson(machine) : devicesText(machine));
        return 0;
    };
}

} // namespace cli

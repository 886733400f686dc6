#include "app/cli/commands/command.h"
#include "app/cli/commands/interrupt.h"
#include "app/cli/commands/long_task.h"
#include "app/cli/options/choice.h"
#include "app/cli/options/field_options.h"
#include "app/cli/options/output_options.h"
#include "app/cli/text/devices_text.h"
#include "app/cli/text/output.h"
#include "engine/backend/cpu/cpu_device.h"
#include "engine/backend/cuda_device.h"
#include "engine/base/process.h"
#include "engine/base/try.h"
#include "engine/base/version.h"
#include "engine/exec/measure_hardware.h"
#include "engine/experiment/experiment_fields.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <thread>

namespace cli {

using namespace engine;

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
    machine.cuda = engine::cudaReport();
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
        auto cpu = TRY(openCpuDevice());
        on.devices.push_back(std::move(cpu));
        on.devicesPerNode = static_cast<int>(usableCores());
        return on;
    }
    setCudaEnvironment();
    const int gpus = std::ssize(cudaReport().devices);
    // Opens two GPUs as a live run does, so that they have access to each other. Otherwise the
    // driver would copy through the host.
    auto opened = openCudaDevices(std::clamp(gpus, 1, 2), TransportChoice::Peer);
    if (!opened)
        return fail(opened.error().code,
                    opened.error().message + "; use --backend cpu to measure the CPU");
    on.devices = std::move(*opened);
    on.devicesPerNode = std::max(1, gpus);
    return on;
}

Result<int> calibrate(const DevicesOptions& options)
{
    const std::string& file = options.output.file;
    if (!file.empty() && file != "-" && !file.ends_with(".toml"))
        return fail(Error::Code::InvalidArgument,
                    fmt::format("-o {}: --hardware reads only files that end in .toml; choose "
                                "another name",
                                file));
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

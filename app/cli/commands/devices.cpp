#include "app/cli/commands/command.h"
#include "app/cli/text/devices_text.h"
#include "app/cli/text/output.h"
#include "engine/backend/cpu/cpu_device.h"

#include <CLI/CLI.hpp>
#include <sched.h>

#include <fstream>
#include <memory>
#include <thread>

namespace cli {

namespace {
// The value of "model name : AMD EPYC ..." in /proc/cpuinfo.
std::string cpuName()
{
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.starts_with("model name"))
            if (const auto colon = line.find(": "); colon != std::string::npos)
                return line.substr(colon + 2);
    return "CPU";
}

// The cores that this process may use; containers and taskset limit them.
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

} // namespace

Action prepareDevices(CLI::App& app)
{
    const auto json = std::make_shared<bool>(false);
    app.add_flag("--json", *json, "Print JSON");
    return [json]() -> engine::Result<int> {
        const Machine machine = thisMachine();
        printText(*json ? devicesJson(machine) : devicesText(machine));
        return 0;
    };
}

} // namespace cli

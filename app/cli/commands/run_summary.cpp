#include "app/cli/commands/run_summary.h"

#include "app/cli/text/run_file.h"
#include "app/cli/text/run_text.h"
#include "profiler/analysis/metrics.h"
#include "profiler/analysis/words.h"

#include <fmt/format.h>

#include <algorithm>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {
// " (4.4 MiB planned, 4.3 MiB touched)"
std::string arenaText(const RunInfo& info, DeviceId device)
{
    const ArenaUse* use = arenaOf(info, device);
    if (use == nullptr)
        return "";
    return fmt::format(" ({} planned{})", bytesText(use->arena),
                       use->touched ? ", " + bytesText(*use->touched) + " touched" : "");
}

std::string peakText(const RunInfo& info, const RunMetrics& metrics)
{
    const auto bytes = [](const DeviceMetrics& d) { return d.peakBytes.value_or(0); };
    const auto largest = std::ranges::max_element(metrics.devices, {}, bytes);
    const auto fullest = std::ranges::max_element(metrics.devices, {}, &DeviceMetrics::peakStash);
    if (largest == metrics.devices.end())
        return "-";
    std::string stash = unitNumber(fullest->peakStash) + " M_a of activations on device "
        + std::to_string(fullest->device.value);
    if (!largest->peakBytes)
        return stash;
    return fmt::format("{} on device {}{}, {}", bytesText(bytes(*largest)), largest->device.value,
                       arenaText(info, largest->device), stash);
}
// Returns the difference of the driver's value from the sum of the owners, relative to the driver's
// value: "0.4 %", "-0.1 %".
std::string signedShare(const GpuMemory& memory)
{
    return (memory.difference() < 0 ? "-" : "") + shareText(memory.differenceShare());
}

// Returns the lines about GPUs; "" for runs without GPUs.
std::string gpuText(const RunInfo& info)
{
    std::string text;
    if (!info.interference.empty())
        text += fmt::format("slow-down  {}\n", interferenceText(info.interference));
    for (const GpuMemory& memory : info.gpuMemory)
        text += fmt::format(
            "GPU memory {}{} by devices, {} by contexts, {} by libraries and the driver; {} in "
            "total as reported by the driver ({} more than accounted for)\n",
            info.gpuMemory.size() > 1 ? fmt::format("GPU {}: ", memory.gpu) : "",
            bytesText(memory.taken()), bytesText(memory[GpuMemoryOwner::Contexts]),
            bytesText(memory.known() - memory.taken() - memory[GpuMemoryOwner::Contexts]),
            bytesText(memory.used), signedShare(memory));
    return text;
}

std::string fileLine(const std::string& file)
{
    const std::string open = openCommand(file);
    return fmt::format("file       {}{}\n", file, open.empty() ? "" : "  (open it: " + open + ")");
}

} // namespace

std::string runSummary(const Run& run, const std::string& file)
{
    const auto numbers = metrics(run);
    if (!numbers)
        return fileLine(file);
    const std::int64_t unit = run.info.ticksPerUnit;
    std::int64_t idle = 0;
    for (const DeviceMetrics& device : numbers->devices)
        idle = std::max(idle, device.bubble);
    const std::string speed = numbers->tokensPerSecond
        ? fmt::format(", {:.0f} tokens/s", *numbers->tokensPerSecond)
        : "";
    return fmt::format("loss       {}\n"
                       "iteration  {} {}{}\n"
                       "bubble     {}, at most {} on one device\n"
                       "peak       {}\n{}{}",
                       lossText(run.timeline), timeText(numbers->duration, unit),
                       modeDescription(run.info), speed, shareText(numbers->bubbleRatio),
                       timeText(idle, unit), peakText(run.info, *numbers), gpuText(run.info),
                       fileLine(file));
}

} // namespace cli

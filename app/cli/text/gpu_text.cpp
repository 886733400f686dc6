#include "app/cli/text/gpu_text.h"

#include "profiler/analysis/kernel_launches.h"
#include "profiler/analysis/nccl_waits.h"
#include "profiler/analysis/words.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>

namespace cli {

using namespace engine;
using nlohmann::ordered_json;

namespace {

// The time of the NCCL kernels of which waiting and transfer are known, in ns.
struct NcclTime
{
    std::size_t kernels = 0;
    std::int64_t waiting = 0, transferring = 0;
};

// Whether the traces of some ranks are missing. If so, the time of NCCL kernels cannot be divided
// into waiting and transfer.
bool lacksRanks(const Run& run)
{
    return run.info.import && !run.info.import->missingRanks.empty();
}

NcclTime ncclTime(const Run& run, const GpuTrace& trace)
{
    NcclTime time;
    if (lacksRanks(run))
        return time;
    for (const profiler::NcclSplit& split : profiler::splitNccl(trace, run.schedule)) {
        if (split.by == profiler::NcclSplit::By::None)
            continue;
        ++time.kernels;
        time.waiting += split.wait.duration();
        time.transferring += split.transfer.duration();
    }
    return time;
}

// "an iteration launches 3504 kernels, 876 per device"
std::string launchesText(const std::vector<double>& launches)
{
    const auto [least, most] = std::ranges::minmax(launches);
    const double all = std::accumulate(launches.begin(), launches.end(), 0.0);
    const std::string each = least == most
        ? fmt::format("{:.0f} per device", most)
        : fmt::format("{:.0f} to {:.0f} per device", least, most);
    return fmt::format("an iteration launches {:.0f} kernels, {}\n", all, each);
}

} // namespace

std::string missingText(std::size_t kernels, const GpuTraceHealth& health)
{
    std::string text;
    const auto add = [&text](std::int64_t count, std::string words) {
        if (count > 0)
            text += (text.empty() ? "" : ", ") + std::move(words);
    };
    add(health.withoutOp,
        fmt::format("{} of {} kernels belong to no op", health.withoutOp, kernels));
    add(health.dropped, fmt::format("{} records were lost", health.dropped));
    add(health.withoutTime, fmt::format("{} kernels have no times", health.withoutTime));
    add(health.unknown, fmt::format("{} records have unknown kinds", health.unknown));
    add(health.declinedBuffers,
        fmt::format("{} buffers for records could not be allocated", health.declinedBuffers));
    return text;
}

std::string gpuText(const Run& run, const GpuTrace& trace)
{
    std::string text;
    if (!trace.kernels.empty() || !trace.health.isComplete()) {
        const std::string missing = missingText(trace.kernels.size(), trace.health);
        text += fmt::format("{} kernels, {}\n", trace.kernels.size(),
                            missing.empty() ? "all linked to their ops" : "incomplete: " + missing);
    }
    if (const auto launches = profiler::kernelsPerIteration(run, trace); !launches.empty())
        text += launchesText(launches);
    if (const NcclTime nccl = ncclTime(run, trace); nccl.kernels > 0)
        text += fmt::format("{} NCCL kernels: {} waiting for other ranks, {} transferring\n",
                            nccl.kernels, profiler::timeText(nccl.waiting, 1),
                            profiler::timeText(nccl.transferring, 1));
    if (const std::string clocks = clockText(run.info.machine.clocks); !clocks.empty())
        text += clocks + "\n";
    for (const auto& [name, value] : run.info.machine.settings)
        if (name == "fallback")
            text += value + "\n";
    return text;
}

ordered_json gpuJson(const Run& run, const GpuTrace& trace)
{
    const GpuMachine& machine = run.info.machine;
    if (machine == GpuMachine{} && trace.isEmpty() && trace.health.isComplete())
        return nullptr;
    const GpuClocks& clocks = machine.clocks;
    const NcclTime nccl = ncclTime(run, trace);
    ordered_json settings = ordered_json::object();
    for (const auto& [name, value] : machine.settings)
        settings[name] = value;
    return {
        {"kernels", trace.kernels.size()},
        {"kernels_without_op", trace.health.withoutOp},
        {"records_dropped", trace.health.dropped},
        {"kernels_per_iteration", profiler::kernelsPerIteration(run, trace)},
        {"nccl_wait", nccl.waiting},
        {"nccl_transfer", nccl.transferring},
        {"clocks",
         clocks.samples == 0 ? ordered_json()
                             : ordered_json{{"least_mhz", clocks.least},
                                            {"median_mhz", clocks.median},
                                            {"most_mhz", clocks.most},
                                            {"samples", clocks.samples},
                                            {"throttled", throttleText(clocks.throttle)}}},
        {"clocks_missing", clocks.reason.empty() ? ordered_json() : ordered_json(clocks.reason)},
        {"machine", settings}};
}

} // namespace cli

#include "engine/timeline/gpu_facts.h"

#include "engine/base/units.h"
#include "engine/timeline/gpu_trace.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string_view>

namespace engine {

std::string throttleText(std::uint64_t throttle)
{
    static constexpr std::pair<Throttle, std::string_view> kWords[] = {
        {Throttle::ApplicationClocks, "application clocks"},
        {Throttle::PowerCap, "power cap"},
        {Throttle::Hardware, "hardware slowdown"},
        {Throttle::Sync, "sync boost"},
        {Throttle::Heat, "thermal slowdown"},
        {Throttle::HardwareHeat, "hardware thermal slowdown"},
        {Throttle::PowerBrake, "power brake"},
        {Throttle::DisplayClocks, "display clocks"},
    };
    std::string text;
    auto known = static_cast<std::uint64_t>(Throttle::Idle);
    for (const auto& [reason, word] : kWords) {
        known |= static_cast<std::uint64_t>(reason);
        if ((throttle & static_cast<std::uint64_t>(reason)) != 0)
            text += fmt::format("{}{}", text.empty() ? "" : ", ", word);
    }
    if ((throttle & ~known) != 0)
        text += fmt::format("{}reason {:#x}", text.empty() ? "" : ", ", throttle & ~known);
    return text;
}

std::string clockText(const GpuClocks& clocks)
{
    if (clocks.samples == 0)
        return clocks.reason.empty() ? "" : "clocks are unknown: " + clocks.reason;
    const std::string slow = throttleText(clocks.throttle);
    return fmt::format("clocks {}..{} MHz (median {}), {}", clocks.least, clocks.most,
                       clocks.median, slow.empty() ? "no throttling" : "throttled: " + slow);
}

namespace {

struct Names
{
    std::string_view key, name;
};
constexpr EnumArray<GpuMemoryOwner, Names, kGpuMemoryOwners> kNames{{{
    {"weights", "weights"},
    {"gradients", "gradients"},
    {"optimizer", "optimizer state"},
    {"stash", "stash"},
    {"buffers", "buffers"},
    {"idle", "idle in arenas"},
    {"workspaces", "workspaces"},
    {"staging", "all-reduce staging"},
    {"losses", "losses"},
    {"other", "other"},
    {"rounding", "rounding"},
    {"contexts", "contexts"},
    {"partitions", "streams and libraries"},
    {"communicators", "communicators"},
    {"running", "appeared during the run"},
}}};

} // namespace

std::string_view gpuMemoryOwnerKey(GpuMemoryOwner owner)
{
    return kNames[owner].key;
}

std::string_view gpuMemoryOwnerName(GpuMemoryOwner owner)
{
    return kNames[owner].name;
}

std::optional<GpuMemoryOwner> gpuMemoryOwnerNamed(std::string_view key)
{
    return kNames.find(key, &Names::key);
}

std::int64_t GpuMemory::taken() const
{
    return std::accumulate(of.begin(), of.begin() + kAllocatedOwners, std::int64_t{0});
}

std::int64_t GpuMemory::known() const
{
    return std::accumulate(of.begin(), of.end(), std::int64_t{0});
}

double GpuMemory::differenceShare() const
{
    return used > 0 ? ratio(std::abs(difference()), used) : 0;
}

GpuMemory sumOf(std::span<const GpuMemory> gpus)
{
    GpuMemory sum;
    sum.gpu = -1;
    for (const GpuMemory& each : gpus) {
        for (const GpuMemoryOwner owner : sum.of.enumerators())
            sum[owner] += each[owner];
        sum.used += each.used;
        sum.reserved += each.reserved;
    }
    return sum;
}

std::string memoryNote(std::span<const GpuMemory> gpus)
{
    constexpr double kMebi = 1 << 20;
    std::string text;
    for (const GpuMemory& each : gpus)
        if (each.differenceShare() > kMemoryTolerance)
            text += fmt::format("{}GPU {}: the driver reports {:.1f} % {} memory ({:.0f} MiB) "
                                "than accounted for",
                                text.empty() ? "" : "; ", each.gpu, 100 * each.differenceShare(),
                                each.difference() > 0 ? "more" : "less",
                                std::abs(each.difference()) / kMebi);
    return text;
}

} // namespace engine

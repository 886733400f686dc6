#include "engine/timeline/gpu_memory.h"

#include "engine/base/units.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <iterator>
#include <numeric>

namespace engine {
namespace {

struct Names
{
    std::string_view key, name;
};
constexpr EnumArray<GpuHolder, Names, kGpuHolders> kNames{{{
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

std::string_view gpuHolderKey(GpuHolder holder)
{
    return kNames[holder].key;
}

std::string_view gpuHolderName(GpuHolder holder)
{
    return kNames[holder].name;
}

std::optional<GpuHolder> gpuHolderNamed(std::string_view key)
{
    return kNames.find(key, &Names::key);
}

std::int64_t GpuMemory::taken() const
{
    return std::accumulate(of.begin(), of.begin() + kAskedForHolders, std::int64_t{0});
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
        for (const GpuHolder holder : sum.of.enumerators())
            sum[holder] += each[holder];
        sum.used += each.used;
        sum.reserved += each.reserved;
    }
    return sum;
}

std::string memoryNote(std::span<const GpuMemory> gpus)
{
    constexpr double kMega = 1e6;
    std::string text;
    for (const GpuMemory& each : gpus)
        if (each.differenceShare() > kMemoryTolerance)
            text += fmt::format("{}GPU {}: the driver reports {:.1f} % {} memory ({:.0f} MB) "
                                "than accounted for",
                                text.empty() ? "" : "; ", each.gpu, 100 * each.differenceShare(),
                                each.difference() > 0 ? "more" : "less",
                                std::abs(each.difference()) / kMega);
    return text;
}

} // namespace engine

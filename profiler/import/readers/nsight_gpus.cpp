#include "profiler/import/readers/nsight_gpus.h"

#include <algorithm>
#include <set>

namespace profiler {

std::string NsightGpus::nameOf(std::int64_t globalPid, std::int64_t device) const
{
    const std::int64_t pid = globalPid >> 24 & 0xFFFFFF;
    const auto seen = ofProcess.find({pid, device});
    if (const auto named = names.find(seen != ofProcess.end() ? seen->second : device);
        named != names.end())
        return named->second;
    const bool isOneKind = !names.empty() && std::ranges::all_of(names, [&](const auto& each) {
        return each.second == names.begin()->second;
    });
    return isOneKind ? names.begin()->second : "";
}

void sortByGpu(std::vector<RankTrace>& ranks)
{
    const auto gpuOf = [](const RankTrace& rank) {
        return rank.gpu.kernels.empty() ? 0 : rank.gpu.kernels.front().place.device;
    };
    std::set<std::uint32_t> gpus;
    for (const RankTrace& rank : ranks)
        gpus.insert(gpuOf(rank));
    if (gpus.size() == ranks.size())
        std::ranges::stable_sort(ranks, {}, gpuOf);
}

} // namespace profiler

#pragma once

#include "profiler/import/rank_trace.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace profiler {

// The GPUs in an export of Nsight Systems.
struct NsightGpus
{
    std::map<std::int64_t, std::string> names; // by TARGET_INFO_GPU.id
    // CUDA numbers the GPUs that a process sees: PID and that number -> TARGET_INFO_GPU.id.
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> ofProcess;

    // The name of a GPU of a process by its number in that process; "" if it is unknown.
    std::string nameOf(std::int64_t globalPid, std::int64_t device) const;
};

// Sorts the processes of a file by their GPUs if each has another one: launchers start local rank r
// on GPU r, but PIDs need not be in the order of the ranks.
void sortByGpu(std::vector<RankTrace>& ranks);

} // namespace profiler

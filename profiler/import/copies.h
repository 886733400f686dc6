#pragma once

#include "engine/schedule/schedule.h"
#include "profiler/import/job.h"

#include <set>
#include <span>
#include <vector>

namespace profiler {

// A rank that computes its stages together with another rank, which the run shows.
inline constexpr int kSharesDevice = -1;

// Returns the data-parallel copy to which each rank of the job belongs, or kSharesDevice. `ops` has
// the pipeline ops of each rank if ranges name their stages, and is empty otherwise.
std::vector<int> findCopies(const Job& job, std::span<const std::set<engine::Op>> ops);

} // namespace profiler

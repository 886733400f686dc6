#pragma once

#include "engine/base/result.h"
#include "engine/timeline/run.h"

#include <memory>
#include <vector>

namespace profiler {

// Runs with other op times, so that a comparison is only about their schedules.

using Runs = std::vector<std::shared_ptr<const engine::Run>>;

// Replays every run with the op times of the baseline. Fails if these cannot be measured.
engine::Result<Runs> withOpTimesOf(const Runs& runs, std::size_t baseline);

// Simulates the run with equal costs: every op takes the median duration that ops of its kind,
// stage and slice have (calibratedCosts()). The result has the time unit of the run, so the two can
// be compared. Fails with Error::Code::NotFound if the run has no measured iteration yet.
engine::Result<engine::Run> withEvenCosts(const engine::Run& run);

} // namespace profiler

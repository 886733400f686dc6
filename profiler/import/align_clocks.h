#pragma once

#include "engine/timeline/import_report.h"
#include "profiler/import/placement.h"

#include <vector>

namespace profiler {

// Moves the times of all hosts to the clock of the first rank's host. Both ends of a message or a
// collective end at the same time (on a CPU, a message arrives soon after it was sent, in both
// directions), so the differences of their times give the offset of a host's clock, its drift, and
// the spread of both. Adds a warning for a host without such pairs, which keeps its times.
std::vector<engine::ImportReport::Clock> alignClocks(Job& job, const Placement& placement);

} // namespace profiler

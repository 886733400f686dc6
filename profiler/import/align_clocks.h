#pragma once

#include "engine/timeline/import_report.h"
#include "profiler/import/placement.h"

#include <vector>

namespace profiler {

// Moves the times of all hosts to the clock of the first rank's host. The two ends of a message or
// collective end at the same time (on a CPU, a message arrives soon after it was sent, in both
// directions). Their differences give a clock's offset and drift, and the spread of both. A host
// without such pairs keeps its times, and a warning is added.
std::vector<engine::ImportReport::Clock> alignClocks(Job& job, const Placement& placement);

// Gives both ends of a message the same window, as in runs of the engine: from the later of its two
// posts to its arrival. A trace without GPU work has the end of the wait instead of the arrival; if
// the receiver did not wait, the message takes at most the median time of the messages that were
// waited for.
void alignMessages(Job& job, const Placement& placement);
// Makes every all-reduce begin with the last of its calls.
void alignAllReduces(Job& job, const Placement& placement);

} // namespace profiler

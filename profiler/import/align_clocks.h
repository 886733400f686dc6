#pragma once

#include "engine/timeline/import_report.h"
#include "profiler/import/placement.h"

#include <vector>

namespace profiler {

// Converts the times of all hosts to the clock of the first rank's host. It assumes that the two
// ends of a message, and all ends of a collective, end at the same time. (On a CPU, a message
// arrives soon after it was sent; the delay is assumed to be the same in both directions.) The
// differences between the ends give the offset and the drift of a clock, and the spread of both. If
// a host has no message or collective in common with another host, its times are kept and a warning
// is added.
std::vector<engine::ImportReport::Clock> alignClocks(Job& job, const Placement& placement);

// Gives both ends of a message the same window, as in runs of the engine. It begins when both ends
// are posted and ends with the arrival. If a trace has no GPU work, the arrival is the end of the
// receiver's wait. If the receiver did not wait, the arrival is unknown: the message is then
// assumed to take at most the median time of the messages for which the receiver waited.
void alignMessages(Job& job, const Placement& placement);
// Makes every all-reduce begin with the last of its calls.
void alignAllReduces(Job& job, const Placement& placement);

} // namespace profiler

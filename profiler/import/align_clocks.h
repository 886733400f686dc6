#pragma once

#include "engine/timeline/import_report.h"
#include "profiler/import/placement.h"

#include <vector>

namespace profiler {

// Converts the times of all hosts with devices of the run to the clock of the first such host. The
// run needs at least one device with a trace. Assumes that the SEND and the RECV of a message, and
// all calls of a collective, end at the same time. (Without GPU work, a RECV ends soon after its
// SEND begins, and this delay is assumed to be the same in both directions.) The differences
// between the recorded times give the offset and the drift of a clock, and their spread. If a host
// has no message or collective in common with another host, its times are kept and a warning is
// added.
std::vector<engine::ImportReport::Clock> alignClocks(Job& job, const Placement& placement);

// Gives the SEND and the RECV of a message the same window, as in runs of the engine. The window
// begins when both are posted and ends with the arrival. If the job has no kernels, the arrival is
// the end of the receiver's wait. If the receiver did not wait, the arrival is unknown: the message
// is then assumed to take at most the median time of the messages for which the receiver waited.
void alignMessages(Job& job, const Placement& placement);
// Moves the start of every all-reduce to the start of its last call. Does not change an all-reduce
// that has several calls on a rank.
void alignAllReduces(Job& job, const Placement& placement);

} // namespace profiler

#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

#include <string>

namespace cli {

// A schedule as people and other programs read it; its own file format is engine/schedule/csv.h.

std::string scheduleText(const engine::Schedule& schedule); // one row a device, ops as spelled
std::string scheduleJson(const engine::Schedule& schedule);
// The rows of PyTorch's schedule files (torch.distributed.pipelining): a line a device, actions
// between commas. Unsupported where the schedule has what PyTorch cannot say: a second direction,
// slices, all-reduces.
engine::Result<std::string> torchText(const engine::Schedule& schedule);

} // namespace cli

#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

#include <string>
#include <string_view>

namespace engine {

// The schedule files of PyTorch (torch.distributed.pipelining, _PipelineScheduleRuntime._load_csv):
// a line a device, actions between commas: 2F0,1B3,(0F4;1B2)OVERLAP_F_B. The grammar is in
// FORMAT.md. A schedule of compute ops is what PyTorch calls compute_only, one with transfers
// compute_comms.

// Unsupported where PyTorch cannot say or run it; the message names the op and the reason.
Result<std::string> writeTorch(const Schedule& schedule);
// Errors name the line and the action.
Result<Schedule> readTorch(std::string_view text, std::string_view scheme = "file");

} // namespace engine

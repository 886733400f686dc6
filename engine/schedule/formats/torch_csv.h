#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

#include <string>
#include <string_view>

namespace engine {

// PyTorch's schedule files (torch.distributed.pipelining, _PipelineScheduleRuntime._load_csv) have
// one line per device, with actions separated by commas (2F0,1B3,(0F4;1B2)OVERLAP_F_B). FORMAT.md
// has the grammar. A schedule of compute ops has PyTorch's format compute_only, a schedule with
// transfers compute_comms. In compute_only, cell t of a line is time step t; empty cells delay an
// op until its inputs are produced.

// Fails with Error::Code::Unsupported if PyTorch cannot express or run the schedule; the message
// has the op and the reason.
Result<std::string> writeTorch(const Schedule& schedule);
// Why PyTorch cannot run the compute ops of a schedule: "1F1u: it supports only one direction"; ""
// if PyTorch can.
std::string torchObstacle(const Schedule& schedule);
// Error messages name the line and the action.
Result<Schedule> readTorch(std::string_view text, std::string_view scheme = "file");

} // namespace engine

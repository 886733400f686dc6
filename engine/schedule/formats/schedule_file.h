#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

#include <string>
#include <string_view>

namespace engine {

enum class ScheduleFormat { Csv, Torch, Sail };

// Detects the format by content: a header line, actions separated by commas, or words separated by
// blanks. Fails with Error::Code::Corrupt for anything else.
Result<ScheduleFormat> scheduleFormat(std::string_view text);
std::string_view formatTitle(ScheduleFormat format); // "PyTorch's schedule CSV"

// Reads a schedule in any of these formats (schedule-files.md). Error messages name the line, and
// the column, action or word.
Result<Schedule> readScheduleText(std::string_view text, std::string_view scheme = "file");
// Reads a schedule file and checks it with validate(). Fails with Error::Code::Corrupt if it is not
// valid; the message has the first violation and the command that lists all of them.
Result<Schedule> readScheduleFile(const std::string& path);

// Reads the text printed by print_schedule of sail-sg's zero-bubble project. It has one line per
// device, with words separated by blanks (f0 f1 F0 b0 w0). Lower case is chunk 0, upper case chunk
// 1; if the text has only one case, there is one chunk (schedule-files.md has the grammar). The
// text lacks the placement of the stages; it is assumed to be V-shaped unless only the looping
// placement is valid. A B without a W is the whole backward. Error messages name the line and the
// word.
Result<Schedule> readSail(std::string_view text, std::string_view scheme = "file");

// Schedule CSV: device,index,op,stage,chunk,microbatch,replica,slice,joint,version
// (schedule-files.md). readCsv() followed by writeCsv() reproduces a file of writeCsv() byte for
// byte. Shape and placement follow from the rows; the scheme is "file" unless given. Error messages
// name line and column. Accepts CRLF.
std::string writeCsv(const Schedule& schedule);
Result<Schedule> readCsv(std::string_view text, std::string_view scheme = "file");

// PyTorch's schedule files (torch.distributed.pipelining, _PipelineScheduleRuntime._load_csv) have
// one line per device, with actions separated by commas (2F0,1B3,(0F4;1B2)OVERLAP_F_B).
// schedule-files.md has the grammar. A schedule of compute ops has PyTorch's format compute_only, a
// schedule with transfers compute_comms. In compute_only, cell t of a line is time step t; empty
// cells delay an op until its inputs are produced.

// Fails with Error::Code::Unsupported if PyTorch cannot express or run the schedule; the message
// has the op and the reason.
Result<std::string> writeTorch(const Schedule& schedule);
// Why PyTorch cannot run the compute ops of a schedule: "1F1u: it supports only one direction"; ""
// if PyTorch can.
std::string torchObstacle(const Schedule& schedule);
// Error messages name the line and the action.
Result<Schedule> readTorch(std::string_view text, std::string_view scheme = "file");

} // namespace engine

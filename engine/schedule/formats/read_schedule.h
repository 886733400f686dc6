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

// Reads a schedule in any of these formats (FORMAT.md). Error messages name the line, and the
// column, action or word.
Result<Schedule> readScheduleText(std::string_view text, std::string_view scheme = "file");
// Reads a schedule file and checks it with validate(). Fails with Error::Code::Corrupt if it is not
// valid; the message has the first violation and the command that lists all of them.
Result<Schedule> readScheduleFile(const std::string& path);

// Reads the text printed by print_schedule of sail-sg's zero-bubble project. It has one line per
// device, with words separated by blanks (f0 f1 F0 b0 w0). Lower case is chunk 0, upper case chunk
// 1; if the text has only one case, there is one chunk (FORMAT.md has the grammar). The text lacks
// the placement of the stages; it is assumed to be V-shaped unless only the looping placement is
// valid. A B without a W is the whole backward. Error messages name the line and the word.
Result<Schedule> readSail(std::string_view text, std::string_view scheme = "file");

} // namespace engine

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

} // namespace engine

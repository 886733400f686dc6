#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

#include <string>
#include <string_view>

namespace engine {

enum class ScheduleFormat { Csv, Torch, Sail };

// By content: a header line of columns, actions between commas, or words between blanks. Corrupt
// for a file that begins like none of them.
Result<ScheduleFormat> scheduleFormat(std::string_view text);
std::string_view formatTitle(ScheduleFormat format); // "PyTorch's schedule CSV"

// A schedule from a file of any of these formats (FORMAT.md). The error is one sentence that names
// line and column, action or word.
Result<Schedule> readScheduleText(std::string_view text, std::string_view scheme = "file");
// A schedule file of any of these formats, checked by validate(): Corrupt names the first thing
// that is wrong and how to see the rest.
Result<Schedule> readScheduleFile(const std::string& path);

} // namespace engine

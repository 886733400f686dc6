#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

#include <string>
#include <string_view>

namespace engine {

// Schedule CSV: device,index,op,stage,chunk,microbatch,replica,slice,joint,version (FORMAT.md).
// readCsv() followed by writeCsv() reproduces a file of writeCsv() byte for byte. Shape and
// placement follow from the rows; the scheme is "file" unless given. Error messages name line and
// column. Accepts CRLF.
std::string writeCsv(const Schedule& schedule);
Result<Schedule> readCsv(std::string_view text, std::string_view scheme = "file");

} // namespace engine

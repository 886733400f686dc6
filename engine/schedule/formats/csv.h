#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

#include <string>
#include <string_view>

namespace engine {

// device,index,op,stage,chunk,microbatch,replica,slice,joint,version (cli.md, "Columns";
// FORMAT.md). A file read and written again is identical. Shape and placement follow from the rows;
// the scheme is "file" unless given. Errors name the line and the column. CRLF is accepted.
std::string writeCsv(const Schedule& schedule);
Result<Schedule> readCsv(std::string_view text, std::string_view scheme = "file");

} // namespace engine

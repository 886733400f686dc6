#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

#include <string_view>

namespace engine {

// Reads the text printed by print_schedule of sail-sg's zero-bubble project. It has one line per
// device, with words separated by blanks (f0 f1 F0 b0 w0). Lower case is chunk 0, upper case chunk
// 1; if the text has only one case, there is one chunk (FORMAT.md has the grammar). The text lacks
// the placement of the stages; it is assumed to be V-shaped unless only the looping placement is
// valid. A B without a W is the whole backward. Error messages name the line and the word.
Result<Schedule> readSail(std::string_view text, std::string_view scheme = "file");

} // namespace engine

#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

#include <string_view>

namespace engine {

// The text in which sail-sg's zero-bubble project prints schedules (print_schedule): a line a
// device, words between blanks: f0 f1 F0 b0 w0. Letters are small for chunk 0 and large for the
// others; the grammar is in FORMAT.md. The words say neither how many chunks above 1 there are
// (two are assumed) nor where the stages lie (a V, or round and round: what makes the order work),
// and not whether a B is the whole backward (it is where no W follows).
// Errors name the line and the word.
Result<Schedule> readSail(std::string_view text, std::string_view scheme = "file");

} // namespace engine

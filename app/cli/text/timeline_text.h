#pragma once

#include "engine/timeline/run.h"

#include <string>

namespace cli {

enum class Ink { Plain, Colours };

// Draws a simulated iteration as text. It has a row for each device, a cell of two characters for
// each step of time, and a legend:
//
//   device 0 | F0F1F2F3......B0B0..B1B1..B2B2..B3B3   F0: forward of micro-batch 0, ..: idle
//
// Returns "" if the text would be wider than `columns`, if there are more than 36 micro-batches, or
// if the run was measured.
std::string timelineText(const engine::Run& run, int iteration, std::size_t columns,
                         Ink ink = Ink::Plain);

} // namespace cli

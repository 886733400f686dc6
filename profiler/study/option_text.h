#pragma once

#include <string>
#include <string_view>

namespace profiler {

// Names of the options that axes of studies set, from the labels of their fields.

std::string optionLabel(std::string_view key); // "Micro-batches N"; "Iterations" if no table has it
std::string optionTitle(std::string_view key); // with the unit: "P2P message, units"
std::string asWord(std::string label);         // "Micro-batches N" -> "micro-batches"
// As a part of a sentence, without symbol and unit: "micro-batches".
std::string optionWord(std::string_view key);

} // namespace profiler

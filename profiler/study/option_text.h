#pragma once

#include <string>
#include <string_view>

namespace profiler {

// Names of the options that a study can set. They are taken from the labels of the options' input
// fields.

// "Micro-batches N". An option without an input field is named after its key: "Iterations".
std::string optionLabel(std::string_view key);
std::string optionTitle(std::string_view key); // with the unit: "P2P message, units"
std::string asWord(std::string label);         // "Micro-batches N" -> "micro-batches"
// Returns the name for use within a sentence, without symbol and unit: "micro-batches".
std::string optionWord(std::string_view key);

} // namespace profiler

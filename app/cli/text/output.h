#pragma once

#include "engine/base/result.h"

#include <string>
#include <string_view>

namespace cli {

void printText(std::string_view text);  // to standard output
void printError(std::string_view text); // to standard error
bool errorIsTerminal();                 // a bar and colours only where a person looks
bool outputHasColours();                // a terminal, and NO_COLOR is not set
std::size_t outputColumns();            // of the terminal; 160 where there is none

// To `path`, or to standard output where it is empty or "-". Io when it cannot be written whole.
engine::Result<void> writeOutput(const std::string& path, std::string_view text);

} // namespace cli

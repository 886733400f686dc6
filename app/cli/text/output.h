#pragma once

#include "engine/base/process.h"

#include <cstddef>
#include <string_view>

namespace cli {

using engine::printError;
using engine::printText;
bool errorIsTerminal();      // whether standard error is a terminal
bool outputHasColours();     // whether standard output is a terminal and NO_COLOR is not set
std::size_t outputColumns(); // width of the terminal; 160 if there is no terminal

} // namespace cli

#pragma once

#include "engine/base/process.h"
#include "profiler/report/sheet.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>

namespace cli {

using engine::printError;
using engine::printText;
bool errorIsTerminal();      // whether standard error is a terminal
bool outputHasColours();     // whether standard output is a terminal and NO_COLOR is not set
std::size_t outputColumns(); // width of the terminal; 160 if there is no terminal
// Returns the text that --json prints. Bytes that are not UTF-8, for example of a file name, are
// replaced.
std::string jsonText(const nlohmann::ordered_json& json);

void print(const profiler::Sheet& sheet, bool json);

} // namespace cli

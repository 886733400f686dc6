#pragma once

#include <string>

namespace CLI {
class App;
}

namespace cli {

// Returns the options of every command of `program` as sections of a manual page in roff.
std::string manualOptions(const CLI::App& program);

} // namespace cli

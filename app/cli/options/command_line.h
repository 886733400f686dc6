#pragma once

#include <string>

namespace CLI {
class App;
}

namespace cli {

// Returns the command line, quoted for a shell: "bscope simulate --scheme 1f1b". It is stored with
// a run so that the run can be repeated. Omits options that only affect the output, such as -o,
// --force and --progress.
std::string commandLine(const CLI::App& command);
std::string utcNow(); // "2026-11-21T03:41:51Z"

} // namespace cli

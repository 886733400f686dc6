#pragma once

#include <string>

namespace CLI {
class App;
}

namespace cli {

// The command line, quoted for a shell: "bscope simulate --scheme 1f1b". It is stored with a run to
// repeat it, so it omits the output options (-o, --force, --progress).
std::string commandLine(const CLI::App& command);
std::string utcNow(); // "2026-11-21T03:41:51Z"

} // namespace cli

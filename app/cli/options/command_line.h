#pragma once

#include <string>

namespace CLI {
class App;
}

namespace cli {

// The command as it was given, quoted for a shell: "bscope simulate --scheme 1f1b". What is stored
// with a run, to repeat it; where the run goes (-o, --force, --progress) is left out.
std::string commandLine(const CLI::App& command);
std::string utcNow(); // "2026-11-21T03:41:51Z"

} // namespace cli

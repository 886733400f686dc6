#pragma once

namespace cli {

// Runs `bscope`: parses the arguments and executes one command. Returns the exit status: 0 for
// success, 1 for a failure, 2 for invalid arguments.
int runBscope(int argc, const char* const* argv);

} // namespace cli

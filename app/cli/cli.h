#pragma once

namespace cli {

// Runs `bscope`: parses the arguments and executes one command. Returns the exit status: 0
// success, 1 failure, 2 wrong usage.
int runBscope(int argc, const char* const* argv);

} // namespace cli

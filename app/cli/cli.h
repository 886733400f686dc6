#pragma once

namespace cli {

// The whole of `bscope`: parses, runs one command, prints. Returns the exit status: 0 success, 1
// the work failed, 2 wrong usage.
int runBscope(int argc, const char* const* argv);

} // namespace cli

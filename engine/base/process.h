#pragma once

#include <string_view>

namespace engine {

// Call first in main(). Occupies closed standard streams, because the next file that is opened
// would get their number and receive what is printed. SIGINT, SIGTERM, SIGHUP and SIGPIPE delete
// unfinished files (hidden_file.h) before they end the process.
void prepareProcess();

// Prints to standard output and flushes it.
void printText(std::string_view text);
// 0, or the number of the first error of standard output: something that was printed is lost.
int flushOutput();

} // namespace engine

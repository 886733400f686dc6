#pragma once

namespace engine {

// Call first in main(). Occupies closed standard streams, because the next file that is opened
// would get their number and receive what is printed. SIGINT, SIGTERM, SIGHUP and SIGPIPE delete
// unfinished files (hidden_file.h) before they end the process.
void prepareProcess();

// Flushes standard output. 0, or the number of the error: something that was printed is lost.
int flushOutput();

} // namespace engine

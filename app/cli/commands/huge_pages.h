#pragma once

namespace cli {

// Restarts this program once, with the same arguments, so that the allocator uses huge pages.
// (glibc reads the setting, GLIBC_TUNABLES, only at start.) Huge pages halve the time to build
// schedules of several gigabytes, most of which is otherwise spent on page faults. Call it before
// any output. Does nothing if GLIBC_TUNABLES is already set or if a restart is not possible (no
// /proc).
void restartWithHugePages();

} // namespace cli

#pragma once

namespace cli {

// Restarts this program once, with the same arguments, so that the allocator uses huge pages.
// (glibc reads the setting, GLIBC_TUNABLES, only at start.) With huge pages, schedules of several
// gigabytes are built in half the time, because page faults otherwise take most of the time. Call
// it before any output. Does nothing if GLIBC_TUNABLES is already set or if a restart is not
// possible (no /proc).
void restartWithHugePages();

} // namespace cli

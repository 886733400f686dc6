#pragma once

namespace cli {

// Restarts this program once with the same arguments and an allocator that uses huge pages,
// because glibc reads this setting at start. Schedules of several gigabytes then take half the
// time, which page faults would take otherwise. Call before any output. Returns if nothing
// changes (no glibc tunables, set by the user, no /proc).
void restartWithHugePages();

} // namespace cli

#pragma once

namespace cli {

// Restarts this program once, with the same arguments, so that the allocator uses huge pages.
// (glibc reads the setting only at start.) Without huge pages, page faults take most of the time to
// build schedules of several gigabytes; with them the time is halved. Call it before any output.
// Does nothing if the setting is already present, if the user has set it, or if a restart is not
// possible (no glibc tunables, no /proc).
void restartWithHugePages();

} // namespace cli

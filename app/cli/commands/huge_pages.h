#pragma once

namespace cli {

// Restarts this program once, with the same arguments, such that the allocator uses huge pages;
// glibc reads this setting only at start. This halves the time to build schedules of several
// gigabytes, because page faults take most of that time without huge pages. Call it before any
// output. Does nothing if the setting is already present, if the user has set it, or if a restart
// is not possible (no glibc tunables, no /proc).
void restartWithHugePages();

} // namespace cli

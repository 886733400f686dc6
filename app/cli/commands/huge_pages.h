#pragma once

namespace cli {

// Restarts this program once with the same arguments and an allocator that uses huge pages; glibc
// reads this setting only at start. It halves the time to build schedules of several gigabytes,
// which is otherwise spent on page faults. Call it before any output. Returns if the setting is
// already there, if the user has set it, or if a restart is not possible (no glibc tunables, no
// /proc).
void restartWithHugePages();

} // namespace cli

#pragma once

namespace cli {

// Restarts this program once with the same arguments and an allocator that uses huge pages; glibc
// reads this setting only at start. It halves the time to build schedules of several gigabytes,
// which is otherwise spent on page faults. Call it before any output. Returns if it cannot restart
// or the setting is already there (no glibc tunables, set by the user, no /proc).
void restartWithHugePages();

} // namespace cli

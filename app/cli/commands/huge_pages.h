#pragma once

namespace cli {

// Starts this program again, once, with the same arguments and an allocator that asks for huge
// pages: glibc decides that at its start only. A schedule of gigabytes takes half the time then,
// most of which would go into page faults. To be called before anything was printed or opened;
// returns where nothing changes (no glibc tunables, chosen by the user already, no /proc).
void restartWithHugePages();

} // namespace cli

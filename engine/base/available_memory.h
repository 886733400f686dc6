#pragma once

#include "engine/base/units.h"

#include <filesystem>

namespace engine {

// Returns the memory that this process can still allocate: the free memory of the machine or, if
// that is less, what the memory limits of its control groups (containers, batch jobs) leave. 0:
// unknown. The folders are parameters for tests.
Bytes availableMemory(const std::filesystem::path& proc = "/proc",
                      const std::filesystem::path& cgroups = "/sys/fs/cgroup");

} // namespace engine

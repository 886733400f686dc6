#pragma once

#include "engine/base/units.h"

#include <filesystem>

namespace engine {

// The free memory of the machine, or less if the control groups of the process (containers, batch
// jobs) limit it; 0 if unknown. Tests pass other folders.
Bytes availableMemory(const std::filesystem::path& proc = "/proc",
                      const std::filesystem::path& cgroups = "/sys/fs/cgroup");

} // namespace engine

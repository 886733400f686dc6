#pragma once

#include "engine/base/result.h"

#include <filesystem>

namespace profiler {

// Copies a run, including the changes that a killed writer left in files next to it. An existing
// file is replaced only when the copy is complete. Returns Io with what to do; nothing was changed.
engine::Result<void> copyRun(const std::filesystem::path& from, const std::filesystem::path& to);

} // namespace profiler

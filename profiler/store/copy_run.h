#pragma once

#include "engine/base/result.h"

#include <filesystem>

namespace profiler {

// Copies a run, including what a killed writer left next to it. Replaces an existing file only
// when the copy is complete. Io: the message says what to do; nothing was changed.
engine::Result<void> copyRun(const std::filesystem::path& from, const std::filesystem::path& to);

} // namespace profiler

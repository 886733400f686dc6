#pragma once

#include "engine/base/result.h"

#include <filesystem>

namespace profiler {

// Copies a run, including the changes that a killed writer left in files next to the run. An
// existing file is replaced only when the copy is complete. On failure (Error::Code::Io), nothing
// is changed, and the message says what to do.
engine::Result<void> copyRun(const std::filesystem::path& from, const std::filesystem::path& to);

} // namespace profiler

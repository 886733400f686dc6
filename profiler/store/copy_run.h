#pragma once

#include "engine/base/result.h"

#include <filesystem>

namespace profiler {

// A whole copy of a run, with what a writer that was killed left beside it. Takes the place of a
// file that is there, once the copy is complete. Io: says what to do; then nothing was changed.
engine::Result<void> copyRun(const std::filesystem::path& from, const std::filesystem::path& to);

} // namespace profiler

#pragma once

#include "engine/base/new_file.h"
#include "engine/base/result.h"
#include "engine/timeline/run.h"

#include <filesystem>

namespace profiler {

// Copies a run, including the changes that a killed writer left in files next to the run. An
// existing file is replaced only when the copy is complete. On failure (Error::Code::Io), nothing
// is changed, and the message says what to do.
engine::Result<void> copyRun(const std::filesystem::path& from, const std::filesystem::path& to);

// The ops, cut at the ends of the window, their iterations, and the memory events. The first memory
// events set the levels at the start of the window. If an iteration is cut, tokens and FLOPs per
// iteration are unknown. Times are unchanged. Fails with Error::Code::NotFound if the window has no
// op.
engine::Result<engine::Run> partOfRun(const engine::Run& run, engine::Window window);

// Writes partOfRun(), with the GPU activity and the notes in the window, as a new run.
engine::Result<void> writePart(engine::NewFile file, const engine::Run& run, engine::Window window,
                               const std::filesystem::path& from);

} // namespace profiler

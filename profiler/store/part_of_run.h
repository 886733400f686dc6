#pragma once

#include "engine/base/new_file.h"
#include "engine/base/result.h"
#include "engine/timeline/run.h"

#include <filesystem>

namespace profiler {

// The part of a run within a window of its timeline: its ops, which are cut at the ends of the
// window, their iterations, and memory with the level at the begin as its first events. If an
// iteration is cut, tokens and FLOPs of an iteration are unknown. Times stay those of the run.
// Fails with Error::Code::NotFound if the window has no op.
engine::Result<engine::Run> partOfRun(const engine::Run& run, engine::Window window);

// Writes that part, with the GPU activity and the notes of the window in the file of the run, as a
// run of its own.
engine::Result<void> writePart(engine::NewFile file, const engine::Run& run, engine::Window window,
                               const std::filesystem::path& from);

} // namespace profiler

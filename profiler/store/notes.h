#pragma once

#include "engine/base/result.h"
#include "engine/timeline/note.h"

#include <filesystem>
#include <vector>

namespace profiler {

// The notes on a run (BS_annotation of SCHEMA.md), by time; empty where it has none. Corrupt: a
// note is of an op or of an iteration that the run does not have.
engine::Result<std::vector<engine::Note>> readNotes(const std::filesystem::path& file);

// Writes one note, in place of the one that has its id. On disk when it returns. Io, with what to
// do: the file is read-only, its folder cannot be written, the disk is full, another program holds
// it. Then nothing was changed.
engine::Result<void> putNote(const std::filesystem::path& file, const engine::Note& note);
// NotFound: there is no such note any more.
engine::Result<void> removeNote(const std::filesystem::path& file, std::int64_t id);

} // namespace profiler

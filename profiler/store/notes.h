#pragma once

#include "engine/base/result.h"
#include "engine/timeline/note.h"

#include <filesystem>
#include <vector>

namespace profiler {

// Reads the notes of a run (BS_annotation of SCHEMA.md), sorted by time. Returns Corrupt if a note
// refers to an op or an iteration that the run does not have.
engine::Result<std::vector<engine::Note>> readNotes(const std::filesystem::path& file);

// Writes one note, replaces an existing one with its id, and flushes it to disk. Returns Io with
// what to do if the file or its folder is read-only, the disk is full, or another program locks the
// file; nothing was then changed.
engine::Result<void> putNote(const std::filesystem::path& file, const engine::Note& note);
// Returns NotFound if the note no longer exists.
engine::Result<void> removeNote(const std::filesystem::path& file, std::int64_t id);

} // namespace profiler

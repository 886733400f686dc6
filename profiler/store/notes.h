#pragma once

#include "engine/base/result.h"
#include "engine/timeline/note.h"

#include <filesystem>
#include <string>
#include <vector>

namespace profiler {

// Reads the notes of a run (BS_annotation of SCHEMA.md), sorted by time. Returns Corrupt if a note
// refers to an op or an iteration that the run does not have.
engine::Result<std::vector<engine::Note>> readNotes(const std::filesystem::path& file);

// Returns text that identifies the run in `file`: its start time, command line and label. It
// differs between two runs that were recorded to the same path one after the other.
engine::Result<std::string> runIdentity(const std::filesystem::path& file);

// Writes one note, replaces an existing one with its id, and flushes it to disk. Returns Io with
// what to do if the file or its folder is read-only, the disk is full, or another program locks the
// file; nothing was then changed. Returns NotFound if `identity` is given and the file now contains
// a run with another identity.
engine::Result<void> putNote(const std::filesystem::path& file, const engine::Note& note,
                             const std::string& identity = {});
// Returns NotFound also if the note no longer exists.
engine::Result<void> removeNote(const std::filesystem::path& file, std::int64_t id,
                                const std::string& identity = {});

} // namespace profiler

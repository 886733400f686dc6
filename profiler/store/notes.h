#pragma once

#include "engine/base/result.h"
#include "engine/timeline/note.h"

#include <filesystem>
#include <string>
#include <vector>

namespace profiler {

// The notes on a run (BS_annotation of SCHEMA.md), by time; empty where it has none. Corrupt: a
// note is of an op or of an iteration that the run does not have.
engine::Result<std::vector<engine::Note>> readNotes(const std::filesystem::path& file);

// Differs between the runs that may follow one another under one name: when and how it was started.
engine::Result<std::string> runIdentity(const std::filesystem::path& file);

// Writes one note, replacing the one with its id, and flushes it to disk. Io, with what to do,
// if the file or its folder is read-only, the disk is full, or another program locks the file;
// nothing was changed then. NotFound if `identity` is given and the file is now another run.
engine::Result<void> putNote(const std::filesystem::path& file, const engine::Note& note,
                             const std::string& identity = {});
// NotFound also if the note no longer exists.
engine::Result<void> removeNote(const std::filesystem::path& file, std::int64_t id,
                                const std::string& identity = {});

} // namespace profiler

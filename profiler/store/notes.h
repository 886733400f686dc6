#pragma once

#include "engine/base/result.h"
#include "engine/timeline/note.h"

#include <filesystem>
#include <string>
#include <vector>

namespace profiler {

// Reads the notes of a run (BS_annotation of run-files.md), sorted by time. Fails with
// Error::Code::Corrupt if a note refers to an op or an iteration that the run does not have.
engine::Result<std::vector<engine::Note>> readNotes(const std::filesystem::path& file);

// The start time, command line and label of the run in `file`. If the file is replaced by another
// run, the text differs.
engine::Result<std::string> runIdentity(const std::filesystem::path& file);

// Writes one note and flushes it to disk. An existing note with the same id is replaced. Fails with
// Error::Code::Io, and changes nothing, if the file or its folder is read-only, the disk is full,
// or another program locks the file; the message says what to do. Fails with Error::Code::NotFound
// if `identity` is given and the file now contains a run with another identity.
engine::Result<void> putNote(const std::filesystem::path& file, const engine::Note& note,
                             const std::string& identity = {});
// Removes a note. Fails as putNote() does, and with Error::Code::NotFound if the note no longer
// exists.
engine::Result<void> removeNote(const std::filesystem::path& file, std::int64_t id,
                                const std::string& identity = {});

} // namespace profiler

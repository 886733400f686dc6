#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace profiler {

// Reads the next bytes into a buffer and returns their number; 0 at the end.
using ByteSource = std::function<engine::Result<std::size_t>(std::span<char>)>;

struct ImportProgress
{
    std::string file;                     // that is being read
    std::int64_t bytes = 0, allBytes = 0; // on disk, over all files
};
// Returns false to cancel the import.
using OnImportProgress = std::function<bool(const ImportProgress&)>;

// The files that `paths` name. A folder stands for the traces in it and in its folders: .json,
// .sqlite, .zip, .tar, and those compressed. Sorted by name. Fails if a path does not exist, is a
// device or a pipe, or if there are no files.
engine::Result<std::vector<std::filesystem::path>>
findTraceFiles(const std::vector<std::filesystem::path>& paths);

// Calls `visit(name, bytes)` for a file, decompressed, or for each file in an archive (.zip, .tar).
// Compression by gzip, xz, bzip2 and zstd is recognised by the content. Fails with
// Error::Code::Corrupt if the file expands to more than 200 times its size, and with
// Error::Code::Cancelled if `progress` returns false; `before` is the size of the files that were
// read before.
engine::Result<void> readTraceFile(
    const std::filesystem::path& file,
    const std::function<engine::Result<void>(const std::string&, const ByteSource&)>& visit,
    ImportProgress before, const OnImportProgress& progress);

} // namespace profiler

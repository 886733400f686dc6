#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace profiler {

// Reads the next bytes into a buffer and returns their number; 0 at the end.
using ByteSource = std::function<engine::Result<std::size_t>(std::span<char>)>;

struct ImportProgress
{
    std::string file;                     // the file that is being read
    std::int64_t bytes = 0, allBytes = 0; // bytes on disk, summed over all files
};
// Returns false to cancel the import.
using OnImportProgress = std::function<bool(const ImportProgress&)>;

// Lists the files in `paths`, sorted by name. A folder stands for the traces in it and in its
// subfolders: .json, .sqlite, .zip, .tar, and compressed ones. Fails if a path does not exist or is
// a device or pipe, or if there are no files.
engine::Result<std::vector<std::filesystem::path>>
findTraceFiles(const std::vector<std::filesystem::path>& paths);

// What a file is that has the name or the first bytes of another kind than a trace, and the command
// that makes a trace from it; "" if it may be a trace. `name` may end in .gz and the like.
std::string wrongKind(std::string_view name, std::string_view head);

// Decompresses a file and calls `visit(name, bytes)` for it, or for each trace in an archive (.zip,
// .tar). gzip, xz, bzip2 and zstd are recognised by content. `before` is the total size of the
// files read so far. Fails with Error::Code::Corrupt if everything in the file expands to more than
// 200 times its size (and more than 256 MiB), and with Error::Code::Cancelled if `progress` returns
// false.
engine::Result<void> readTraceFile(
    const std::filesystem::path& file,
    const std::function<engine::Result<void>(const std::string&, const ByteSource&)>& visit,
    ImportProgress before, const OnImportProgress& progress);

} // namespace profiler

#pragma once

#include "engine/base/result.h"
#include "profiler/import/rank_trace.h"
#include "profiler/import/trace_files.h"

#include <filesystem>
#include <vector>

namespace profiler {

// Reads an SQLite export of Nsight Systems of any version; missing tables and columns are
// treated as empty. Each process with GPU work is a rank. If no process has GPU work, each process
// with NVTX ranges is a rank. Fails with Error::Code::Unsupported if another program wrote the
// file, with Error::Code::Corrupt if it is damaged, and with Error::Code::Cancelled if `progress`
// returns false. If `before.file` is not `file`, then `file` is an unpacked copy of the trace
// `before.file`: errors name `before.file`, and `before.bytes` already includes the bytes of the
// trace.
engine::Result<std::vector<RankTrace>> readNsight(const std::filesystem::path& file,
                                                  ImportProgress before,
                                                  const OnImportProgress& progress);

} // namespace profiler

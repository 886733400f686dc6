#pragma once

#include "engine/base/result.h"
#include "profiler/import/rank_trace.h"
#include "profiler/import/trace_files.h"

#include <functional>
#include <string_view>
#include <vector>

namespace profiler {

// Whether a rule matches ranges with this name. Python functions without such a rule are dropped.
using IsNamedByRule = std::function<bool(std::string_view range)>;

struct JsonTrace
{
    std::vector<RankTrace> ranks;
    std::string warning; // "" if all of it was read
};

// Reads a JSON trace in the Trace Event Format, either from PyTorch's profiler (Kineto), with one
// file per rank, or from a program that writes one process or thread per rank. Events without a
// usable time are left out and counted in RankTrace::unreadable.
engine::Result<JsonTrace> readKineto(const std::string& name, const ByteSource& bytes,
                                     const IsNamedByRule& isNamedByRule);

} // namespace profiler

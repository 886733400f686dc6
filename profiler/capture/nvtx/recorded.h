#pragma once

#include "engine/timeline/gpu_trace.h"

#include <string>
#include <vector>

// The interface between bscope and libbubblescope_nvtx.so, which must have the same build
// (version.h).
namespace profiler {

constexpr const char* kNvtxLibrary = "libbubblescope_nvtx.so";

// The ranges that ended since the last call. Texts and domains are indices into `strings`, which
// only grows.
struct RecordedRanges
{
    std::vector<std::string> strings;
    std::vector<engine::GpuRange> ranges; // times on CLOCK_MONOTONIC; not yet linked to ops
    std::int64_t dropped = 0;             // ranges for which there was no room
};

// Types of the functions that the library exports. The `stream` in StreamNamed is the cudaStream_t
// that was named.
using StreamNamed = void (*)(void* stream, const char* name);
using TakeRanges = const char* (*)(const char* buildId, RecordedRanges* ranges, StreamNamed named);
constexpr const char* kTakeRanges = "bubblescope_nvtx_take";

} // namespace profiler

#pragma once

#include "engine/timeline/gpu_trace.h"

#include <string>
#include <vector>

// Between bscope and libbubblescope_nvtx.so, which are of one build (version.h).
namespace profiler {

constexpr const char* kNvtxLibrary = "libbubblescope_nvtx.so";

// What came since the last time. Texts and domains of ranges are places in `strings`, which grows
// and keeps its order.
struct RecordedRanges
{
    std::vector<std::string> strings;
    std::vector<engine::GpuRange> ranges; // CLOCK_MONOTONIC; no op is known yet
};

// The library's own interface. `stream` is the cudaStream_t that was named.
using StreamNamed = void (*)(void* stream, const char* name);
using TakeRanges = const char* (*)(const char* buildId, RecordedRanges* ranges, StreamNamed named);
constexpr const char* kTakeRanges = "bubblescope_nvtx_take";

} // namespace profiler

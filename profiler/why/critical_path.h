#pragma once

#include "engine/base/result.h"
#include "engine/timeline/run.h"

#include <optional>
#include <vector>

namespace profiler {

// A piece of the critical path. Windows of consecutive parts meet.
struct PathPart
{
    enum class Kind : std::uint8_t {
        Work,     // an op that runs on the compute lane
        Transfer, // a message, an all-reduce, an evict or a load
        Wait,     // the next op was ready but had not started
    };

    Kind kind = Kind::Work;
    // The op of this part (OpIndex). For a message: its RECV. For a wait: the op that starts after
    // it or, at the end of the iteration, the op before it.
    std::uint32_t op = 0;
    engine::DeviceId device; // the device of `op`
    engine::Window window;

    friend bool operator==(const PathPart&, const PathPart&) = default;
};

// The chain of ops, messages and waits that ends with the last op of an iteration. Before each op,
// the chain has the op before it on its device or the message that it needs, whichever ended later.
struct CriticalPath
{
    int iteration = -1;    // index into Timeline::iterations
    engine::Window window; // of the iteration
    // In time order. They cover `window` and do not overlap, so their durations add up to it.
    std::vector<PathPart> parts;
    // The op that, as recorded, starts before its input has arrived. The path then covers only the
    // time from the start of that op.
    std::optional<std::uint32_t> fault;
};

// Fails with Error::Code::NotFound if the run has no such iteration, and with
// Error::Code::InvalidArgument if the stages of the run are unknown or fewer than two ops ran.
// -1: the reported iteration.
engine::Result<CriticalPath> criticalPath(const engine::Run& run, int iteration = -1);

} // namespace profiler

#pragma once

#include "engine/base/result.h"
#include "engine/timeline/run.h"

#include <optional>
#include <vector>

namespace profiler {

// A part of the critical path. Each part begins when the previous one ends.
struct PathPart
{
    enum class Kind : std::uint8_t {
        Work,     // an op that runs on the compute lane
        Transfer, // a message, an all-reduce, an evict or a load
        Wait,     // time in which the next op is ready but has not started
    };

    Kind kind = Kind::Work;
    // The op of this part (OpIndex). For a message it is the RECV. For a wait it is the op that
    // starts after the wait or, at the end of the iteration, the op before the wait.
    std::uint32_t op = 0;
    engine::DeviceId device; // the device of `op`
    engine::Window window;

    friend bool operator==(const PathPart&, const PathPart&) = default;
};

// The chain of ops, messages and waits that ends with the last op of an iteration. An op in the
// chain is preceded by what it waited for last: either the previous op on its device, or the
// message that it needs.
struct CriticalPath
{
    int iteration = -1;    // index into Timeline::iterations
    engine::Window window; // window of the iteration
    // In time order. They cover `window` and do not overlap, so their durations add up to it.
    std::vector<PathPart> parts;
    // Set if, according to the recording, an op starts before its input has arrived. The path then
    // covers only the time from the start of that op.
    std::optional<std::uint32_t> fault;
};

// Finds the critical path of an iteration (-1: the reported iteration). Fails with
// Error::Code::NotFound if the run has no such iteration, and with Error::Code::InvalidArgument if
// the stages of the run are unknown or fewer than two ops ran.
engine::Result<CriticalPath> criticalPath(const engine::Run& run, int iteration = -1);

} // namespace profiler

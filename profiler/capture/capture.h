#pragma once

#include "engine/base/result.h"
#include "engine/timeline/gpu_trace.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace profiler {

// How much of what GPUs do is recorded (`--trace`).
enum class TraceLevel : std::uint8_t {
    Off,     // nothing, not even ops: only to measure what recording costs
    Ops,     // ops, timed by CUDA events
    Kernels, // and kernels, copies, memsets and the calls that launch them
    All,     // and every call, wait, allocation of the driver, context and stream
};
std::string_view traceLevelName(TraceLevel level); // "kernels"

// Records what happens on GPUs through CUPTI. One at a time in a process: CUPTI's callbacks have
// no owner. Source of the rules kept here: CUPTI's headers and Kineto's use of it
// (CuptiActivityApi).
class Capture
{
public:
    Capture() = default;
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;
    virtual ~Capture() = default;

    // Everything that this thread launches until pop() belongs to that execution of that op; of
    // another copy's (OpOfIteration::kOtherCopy) nothing is kept. They nest. Any thread, each for
    // itself; about a microsecond.
    virtual void push(engine::OpOfIteration op) = 0;
    virtual void pop() = 0;

    // What is complete since the last take(), linked to its ops. It never waits for the GPU, and
    // leaves what is still on its way for the next time. From one thread at a time.
    virtual engine::GpuTrace take() = 0;
    // Everything there is left. The caller has waited for every device before; nothing is recorded
    // afterwards.
    virtual engine::GpuTrace finish() = 0;

    // From here on rows of that stream (a cudaStream_t, which exists) go by a name: "device 3:
    // compute". One that CUPTI does not know stays without. Any thread.
    virtual void nameStream(void* stream, const char* name) = 0;

    virtual std::string version() const = 0; // "CUPTI 130001"
};

// Starts to record, before any context of the process exists. Device: one sentence why it cannot
// be done here (no CUPTI, an older one, another profiler, no permission, MIG, WSL); the run goes on
// and times its ops by CUDA events. InvalidArgument: a level that needs no CUPTI.
engine::Result<std::unique_ptr<Capture>> startCapture(TraceLevel level);

} // namespace profiler

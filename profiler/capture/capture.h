#pragma once

#include "engine/base/result.h"
#include "engine/timeline/gpu_trace.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace profiler {

// Amount of GPU activity that is recorded (`--trace`).
enum class TraceLevel : std::uint8_t {
    Off,     // not even ops: to measure the cost of recording
    Ops,     // ops, timed with CUDA events
    Kernels, // also kernels, copies, memsets and the calls that launch them
    All,     // also all other calls, waits, driver allocations, contexts and streams
};
std::string_view traceLevelName(TraceLevel level); // "kernels"

// Records GPU activity with CUPTI. One instance per process, because CUPTI's callbacks have no
// user data. The rules follow CUPTI's headers and their use in Kineto (CuptiActivityApi).
class Capture
{
public:
    Capture() = default;
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;
    virtual ~Capture() = default;

    // Work launched by this thread until pop() belongs to this execution of the op; work of
    // other data-parallel copies (OpOfIteration::kOtherCopy) is not kept. May be nested.
    // Thread-safe; takes about a microsecond.
    virtual void push(engine::OpOfIteration op) = 0;
    virtual void pop() = 0;

    // Records that are complete, linked to their ops. Never waits for the GPU; incomplete
    // records follow in a later call. One thread at a time.
    virtual engine::GpuTrace take() = 0;
    // All remaining records; stops recording. Call after all devices are synchronized.
    virtual engine::GpuTrace finish() = 0;

    // Names the stream (an existing cudaStream_t) in later records: "device 3: compute". Streams
    // unknown to CUPTI stay unnamed. Thread-safe.
    virtual void nameStream(void* stream, const char* name) = 0;

    virtual std::string version() const = 0; // "CUPTI 130001"
};

// Starts recording; call before the process creates a context. Device: the reason in one
// sentence (no CUPTI, an older one, another profiler, no permission, MIG, WSL); the run can
// continue with ops timed by CUDA events. InvalidArgument: the level does not need CUPTI.
engine::Result<std::unique_ptr<Capture>> startCapture(TraceLevel level);

} // namespace profiler

#pragma once

#include "engine/base/result.h"
#include "engine/timeline/gpu_trace.h"

#include <memory>
#include <string>
#include <string_view>

namespace profiler {

// The amount of GPU activity that is recorded (`--trace`).
enum class TraceLevel : std::uint8_t {
    Off,     // records nothing, not even ops; used to measure the cost of recording
    Ops,     // ops, timed with CUDA events
    Kernels, // also kernels, copies, memsets and the calls that launched them
    All,     // also all other calls, waits, driver allocations, contexts and streams
};
std::string_view traceLevelName(TraceLevel level); // "kernels"

// Records GPU activity with CUPTI. There can be one instance per process, because CUPTI's callbacks
// have no user data. Follows CUPTI's headers and the use of CUPTI in Kineto (CuptiActivityApi).
class Capture
{
public:
    Capture() = default;
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;
    virtual ~Capture() = default;

    // All work that this thread launches from now on until pop() is recorded as work of `op`. Work
    // of other data-parallel copies of the pipeline (OpOfIteration::kOtherCopy) is dropped. Calls
    // may be nested. Thread-safe; takes about a microsecond.
    virtual void push(engine::OpOfIteration op) = 0;
    virtual void pop() = 0;

    // The complete records, linked to their ops. Never waits for the GPU: a later call returns the
    // others. Not thread-safe.
    virtual engine::GpuTrace take() = 0;
    // Stops recording and returns all remaining records. Call it after all devices are
    // synchronized.
    virtual engine::GpuTrace finish() = 0;

    // Names the stream (an existing cudaStream_t) in later records: "device 3: compute". Streams
    // that CUPTI does not know stay unnamed. Thread-safe.
    virtual void nameStream(void* stream, const char* name) = 0;

    virtual std::string version() const = 0; // "CUPTI 130001"
};

// Starts recording. Call it before the process creates a context. Fails with Error::Code::Device if
// recording is not possible (CUPTI is missing or too old, another profiler, no permission, MIG,
// WSL); the message gives the reason in one sentence, and the run can continue with ops timed by
// CUDA events. Fails with Error::Code::InvalidArgument if the level does not need CUPTI.
engine::Result<std::unique_ptr<Capture>> startCapture(TraceLevel level);

} // namespace profiler

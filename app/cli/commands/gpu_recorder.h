#pragma once

#include "engine/backend/cuda_report.h"
#include "engine/exec/run_experiment.h"
#include "engine/timeline/run.h"
#include "profiler/capture/capture.h"
#include "profiler/capture/gpu_sampler.h"
#include "profiler/capture/link.h"
#include "profiler/capture/range_recorder.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cli {

// Records the activity and clocks of GPUs during a run, if requested and possible, and marks the
// ops with NVTX ranges. If recording is not possible, the run continues without it, and notes()
// states the reason.
class GpuRecorder
{
public:
    // Call it before a GPU is opened.
    GpuRecorder(engine::Trace trace, engine::Backend backend);
    ~GpuRecorder();
    GpuRecorder(const GpuRecorder&) = delete;
    GpuRecorder& operator=(const GpuRecorder&) = delete;

    bool isOff() const { return m_level == profiler::TraceLevel::Off; }
    // The reasons why requested activity is not recorded; empty if all of it is.
    const std::vector<std::string>& notes() const { return m_notes; }
    // Returns the text to append to the description of the op timing: "; kernels by CUPTI 130001",
    // or "" if no kernels are recorded.
    std::string timingSuffix() const;

    // Starts sampling the clocks unless the level is Off. Returns the description of the GPUs that
    // is stored in the file. Call it directly before the run.
    engine::GpuMachine begin(const engine::Run& run);
    engine::LaunchHooks hooks(); // must not outlive this object
    void timed(std::span<const engine::OpTiming> timings);
    // The records since the last call, on the timeline of the run. Call it only between iterations.
    engine::GpuTrace take(const engine::Run& run);
    engine::GpuTrace finish(const engine::Run& run); // like take(), and stops recording
    // Returns a description of the missing records; "" if the recording is complete. Call it after
    // finish().
    std::string missing() const;
    // Stops sampling and returns the clocks measured since begin().
    engine::GpuClocks clocks() { return m_sampler ? m_sampler->finish() : engine::GpuClocks{}; }

private:
    void startCapture();
    void startSampling(engine::GpuMachine& machine);
    void addRest(engine::GpuTrace& trace);
    engine::GpuTrace placed(engine::GpuTrace trace, const engine::Run& run);

    profiler::TraceLevel m_level;
    engine::Backend m_backend;
    std::vector<std::string> m_notes;
    std::unique_ptr<profiler::Capture> m_capture;    // nullptr: only ops are recorded
    std::optional<profiler::RangeRecorder> m_ranges; // collects NVTX ranges of libraries
    std::optional<profiler::OpRanges> m_marks; // marks ops with NVTX ranges; exists after begin()
    std::unique_ptr<profiler::GpuSampler> m_sampler; // nullptr: clocks cannot be sampled
    profiler::LaunchLog m_launches;
    std::optional<profiler::NcclLinker> m_nccl; // only with NCCL transport; exists after begin()
    std::vector<profiler::MeasuredWindow> m_measured;
    // The start of the timeline of a live run on CLOCK_MONOTONIC.
    std::optional<std::int64_t> m_origin;
    std::size_t m_kernels = 0; // kernels returned so far
    engine::GpuTraceHealth m_health;
};

// Returns the GPUs of a run as they are stored in its file. An emulated run has a row per device,
// all for the same GPU: "NVIDIA H200 (emulated, 3 of 8)".
engine::GpuMachine gpuMachine(const engine::CudaReport& cuda, const engine::Run& run);

} // namespace cli

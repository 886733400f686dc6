#pragma once

#include "engine/exec/run_experiment.h"
#include "profiler/capture/capture.h"
#include "profiler/capture/gpu_sampler.h"
#include "profiler/capture/launch_log.h"
#include "profiler/capture/link_nccl.h"
#include "profiler/capture/op_ranges.h"
#include "profiler/capture/place_on_timeline.h"
#include "profiler/capture/range_recorder.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cli {

// Records what GPUs run during a run and how fast they are, where that was asked for and is
// possible, and marks the ops for outer profilers in any case. The run goes on without: notes()
// says why.
class GpuRecorder
{
public:
    // Before anything is opened on a GPU. No level: kernels where a GPU computes, else ops.
    GpuRecorder(engine::Trace trace, engine::Backend backend);
    ~GpuRecorder();
    GpuRecorder(const GpuRecorder&) = delete;
    GpuRecorder& operator=(const GpuRecorder&) = delete;

    bool isOff() const { return m_level == profiler::TraceLevel::Off; }
    const std::vector<std::string>& notes() const { return m_notes; } // none: all is as asked for
    // Beside how ops are timed: "; kernels by CUPTI 130001", or "" where none are recorded.
    std::string words() const;

    // Just before anything runs: what the file says of the machine. Clocks are sampled from here.
    engine::GpuMachine begin(const engine::Run& run);
    engine::LaunchHooks hooks(); // this object outlives them
    void timed(std::span<const engine::OpTiming> timings);
    // What came since the last call, on the run's timeline, whose iterations up to now have ended.
    engine::GpuTrace take(const engine::Run& run);
    engine::GpuTrace finish(const engine::Run& run); // and nothing is recorded any more
    // After finish(): what is missing in all that was taken, in one sentence; "": nothing.
    std::string missing() const;
    // What begin() could not know. Nothing is sampled any more.
    engine::GpuClocks clocks();

private:
    void startCapture();
    void startSampling(engine::GpuMachine& machine);
    void addRest(engine::GpuTrace& trace);
    engine::GpuTrace placed(engine::GpuTrace trace, const engine::Run& run);

    profiler::TraceLevel m_level;
    engine::Backend m_backend;
    std::vector<std::string> m_notes;
    std::unique_ptr<profiler::Capture> m_capture;    // nullptr: ops alone
    std::optional<profiler::RangeRecorder> m_ranges; // of libraries
    std::optional<profiler::OpRanges> m_marks;       // of ops; from begin() on
    std::unique_ptr<profiler::GpuSampler> m_sampler; // nullptr: nobody tells
    profiler::LaunchLog m_launches;
    std::optional<profiler::NcclLinker> m_nccl; // where NCCL carries; from begin() on
    std::vector<profiler::MeasuredWindow> m_measured;
    std::optional<std::int64_t> m_origin; // of a live run's timeline
    std::size_t m_kernels = 0;            // taken so far
    engine::GpuTraceHealth m_health;
};

} // namespace cli

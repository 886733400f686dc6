#pragma once

#include "engine/exec/run_experiment.h"
#include "profiler/capture/capture.h"
#include "profiler/capture/place_on_timeline.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cli {

// Records what GPUs run during a run, where that was asked for and is possible. The run goes on
// without: note() says why.
class GpuRecorder
{
public:
    // Before anything is opened on a GPU. No level: kernels where a GPU computes, else ops.
    GpuRecorder(std::optional<profiler::TraceLevel> level, engine::Backend backend);

    bool isOff() const { return m_level == profiler::TraceLevel::Off; }
    const std::string& note() const { return m_note; } // "": all is as asked for
    // Beside how ops are timed: "; kernels by CUPTI 130001", or "" where none are recorded.
    std::string words() const;

    engine::LaunchHooks hooks();
    void timed(std::span<const engine::OpTiming> timings);
    // What came since the last call, on the run's timeline, whose iterations up to now have ended.
    engine::GpuTrace take(const engine::Run& run);
    engine::GpuTrace finish(const engine::Run& run); // and nothing is recorded any more

private:
    engine::GpuTrace placed(engine::GpuTrace trace, const engine::Run& run);

    profiler::TraceLevel m_level;
    std::string m_note;
    std::unique_ptr<profiler::Capture> m_capture; // nullptr: ops alone
    std::vector<profiler::MeasuredWindow> m_measured;
};

} // namespace cli

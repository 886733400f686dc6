#include "app/cli/gpu_recorder.h"

#include <fmt/format.h>

#include <utility>

namespace cli {

using namespace engine;
using profiler::TraceLevel;

GpuRecorder::GpuRecorder(std::optional<TraceLevel> level, Backend backend)
    : m_level(level.value_or(backend == Backend::Cuda ? TraceLevel::Kernels : TraceLevel::Ops))
{
    if (m_level < TraceLevel::Kernels)
        return;
    if (backend != Backend::Cuda) {
        m_note = fmt::format("--trace {} records what GPUs run, and this run computes on the CPU: "
                             "ops are recorded",
                             traceLevelName(m_level));
        return;
    }
    auto capture = profiler::startCapture(m_level);
    if (capture)
        m_capture = std::move(*capture);
    else
        m_note = fmt::format("kernels are not recorded, ops are: {}", capture.error().message);
}

std::string GpuRecorder::words() const
{
    return m_capture ? fmt::format("; kernels by {}", m_capture->version()) : "";
}

LaunchHooks GpuRecorder::hooks()
{
    if (!m_capture)
        return {};
    return {[capture = m_capture.get()](OpOfIteration op) { capture->push(op); },
            [capture = m_capture.get()] { capture->pop(); }};
}

void GpuRecorder::timed(std::span<const OpTiming> timings)
{
    if (m_capture)
        for (const OpTiming& timing : timings)
            m_measured.push_back(
                {{timing.op, timing.iteration}, {timing.wallBegin, timing.wallEnd}});
}

GpuTrace GpuRecorder::placed(GpuTrace trace, const Run& run)
{
    return placeOnTimeline(std::move(trace), run, std::exchange(m_measured, {}));
}

GpuTrace GpuRecorder::take(const Run& run)
{
    return m_capture ? placed(m_capture->take(), run) : GpuTrace{};
}

GpuTrace GpuRecorder::finish(const Run& run)
{
    return m_capture ? placed(m_capture->finish(), run) : GpuTrace{};
}

} // namespace cli

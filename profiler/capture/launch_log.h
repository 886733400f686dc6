#pragma once

#include "engine/timeline/gpu_trace.h"

#include <mutex>
#include <vector>

namespace profiler {

// Records the time and the thread on which the host launched each op. Thread-safe; may be
// nested.
class LaunchLog
{
public:
    void begin(engine::OpOfIteration op);
    void end();
    std::vector<engine::GpuOpLaunch> take(); // launches that ended since the last call

private:
    std::mutex m_mutex; // protects the members below
    std::vector<engine::GpuOpLaunch> m_done;
};

} // namespace profiler

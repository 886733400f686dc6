#pragma once

#include "engine/timeline/gpu_trace.h"

#include <mutex>
#include <vector>

namespace profiler {

// Records when and on which thread the host launched each op. Thread-safe; launches may be nested.
class LaunchLog
{
public:
    void begin(engine::OpOfIteration op);
    void end();
    std::vector<engine::GpuOpLaunch> take(); // the launches that ended since the last call

private:
    std::mutex m_mutex; // protects the members below
    std::vector<engine::GpuOpLaunch> m_done;
};

} // namespace profiler

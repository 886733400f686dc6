#pragma once

#include "engine/timeline/gpu_trace.h"

#include <mutex>
#include <vector>

namespace profiler {

// When the host was about which op, on which thread. Any thread, each for itself; they nest.
class LaunchLog
{
public:
    void begin(engine::OpOfIteration op);
    void end();
    std::vector<engine::GpuOpLaunch> take(); // those that ended since the last time

private:
    std::mutex m_mutex; // guards what follows
    std::vector<engine::GpuOpLaunch> m_done;
};

} // namespace profiler

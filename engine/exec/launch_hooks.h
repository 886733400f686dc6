#pragma once

#include "engine/timeline/gpu_trace.h"

#include <functional>

namespace engine {

// Callbacks around the launch of an op, on the launching thread, so that GPU activity can be
// attributed to the op. Ops of other data-parallel pipelines (data_parallel.h) are passed as
// OpOfIteration::kOtherCopy. Calls do not nest. Either callback may be empty; neither may throw.
struct LaunchHooks
{
    std::function<void(OpOfIteration)> begin;
    std::function<void()> end;
};

// Calls LaunchHooks::begin in the constructor and LaunchHooks::end in the destructor.
class LaunchScope
{
public:
    LaunchScope(const LaunchHooks& hooks, OpOfIteration op)
        : m_hooks(hooks)
    {
        if (m_hooks.begin)
            m_hooks.begin(op);
    }
    ~LaunchScope()
    {
        if (m_hooks.end)
            m_hooks.end();
    }
    LaunchScope(const LaunchScope&) = delete;
    LaunchScope& operator=(const LaunchScope&) = delete;

private:
    const LaunchHooks& m_hooks;
};

} // namespace engine

#pragma once

#include "engine/timeline/gpu_trace.h"

#include <functional>

namespace engine {

// Callbacks around the launches of an op, on the launching thread, so that what a GPU runs can be
// linked to it. Ops of the other copies of a pipeline (data_parallel.h) are passed as
// OpOfIteration::kOtherCopy. They do not nest. Empty ones are not called; they do not throw.
struct LaunchHooks
{
    std::function<void(OpOfIteration)> begin;
    std::function<void()> end;
};

// Calls begin, and end on destruction.
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

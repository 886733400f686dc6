#include "engine/exec/queued_ops.h"

#include "engine/base/clock.h"

#include <stdexcept>

namespace engine {

bool OpGraphs::isAsked(OpKind kind) const
{
    return m_queue != nullptr && m_policy != Graphs::Off && kind != OpKind::OptimizerStep;
}

void OpGraphs::prepare(std::size_t op, OpKind kind, const std::function<void()>& work)
{
    if (isAsked(kind) && m_entries[op].graph == nullptr && m_entries[op].isSelected)
        capture(m_entries[op], work);
}

void OpGraphs::run(std::size_t op, OpKind kind, const std::function<void()>& work)
{
    if (!isAsked(kind)) {
        work();
        return;
    }
    Entry& entry = m_entries[op];
    if (entry.graph != nullptr) {
        m_queue->launch(*entry.graph);
        return;
    }
    const std::int64_t begin = wallTime();
    work();
    entry.hostTime = wallTime() - begin;
    ++entry.runs;
}

// An op that cannot be captured, because it waits for the GPU, is launched without a graph.
void OpGraphs::capture(Entry& entry, const std::function<void()>& work)
try {
    entry.graph = m_queue->capture(work);
    ++m_captured;
} catch (const std::runtime_error&) {
    entry.canBe = entry.isSelected = false;
}

void OpGraphs::judge(std::size_t op, std::int64_t gpuTime)
{
    if (op >= m_entries.size() || m_policy == Graphs::Off)
        return;
    Entry& entry = m_entries[op];
    // Ignores the first run, which includes the choice of algorithms and the loading of kernels.
    const bool isBound = entry.runs > 1
        && static_cast<double>(entry.hostTime) > kBound * static_cast<double>(gpuTime);
    entry.isSelected = entry.canBe && (m_policy == Graphs::On || isBound);
}

void QueuedOps::queue(std::size_t op, OpKind kind, const std::function<void()>& compute)
{
    Marks& marks = m_marks[op];
    if (marks.end == nullptr)
        marks = {m_gpu->makeEvent(Device::Timed::Yes), m_gpu->makeEvent(Device::Timed::Yes)};
    m_graphs.prepare(op, kind, compute);
    m_gpu->queue()->record(*marks.begin);
    m_graphs.run(op, kind, compute);
    m_gpu->queue()->record(*marks.end);
    m_ahead.push_back(op);
}

std::int64_t QueuedOps::takeTime(std::size_t op)
{
    const std::int64_t took = m_marks[op].end->nanosecondsSince(*m_marks[op].begin);
    m_took[op].store(took, std::memory_order_relaxed);
    m_graphs.judge(op, took);
    return took;
}

} // namespace engine

#include "engine/exec/queued_ops.h"

namespace engine {

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

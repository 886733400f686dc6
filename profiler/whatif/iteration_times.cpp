#include "profiler/whatif/iteration_times.h"

#include "profiler/analysis/lanes.h"
#include "profiler/analysis/windows.h"

#include <algorithm>

namespace profiler {

using namespace engine;

IterationTimes::IterationTimes(const Run& run, int iteration)
    : m_schedule(run.schedule)
    , m_flow(run.schedule)
    , m_windows(m_flow.index().count(), kNotRun)
    , m_before(m_flow.index().count(), kNone)
{
    const Lanes lanes(run, iteration);
    m_iteration = lanes.window();
    for (const DeviceId d : Ids<DeviceId>(lanes.devices())) {
        for (int kind = 0; kind < kLaneKinds; ++kind)
            for (const Span& span : lanes.spans(d, static_cast<Track::Kind>(kind)))
                m_windows[span.op] = withSpan(m_windows[span.op], span);
        // `same` is the previous op of this loop. `earlier` is the last op before the group of
        // joint ops that have the window `joint`.
        std::uint32_t earlier = kNone, same = kNone;
        Window joint = kNotRun;
        for (const Span& span : lanes.spans(d, Track::Kind::Compute)) {
            if (span.window() != joint || span.window().duration() == 0)
                earlier = same;
            m_before[span.op] = earlier;
            same = span.op;
            joint = span.window();
        }
    }
}

bool IterationTimes::isComplete() const
{
    for (std::uint32_t op = 0; op < m_windows.size(); ++op)
        if (isCompute(m_flow.op(op).kind) && !ran(op))
            return false;
    return true;
}

std::optional<std::int64_t> IterationTimes::arrival(std::uint32_t op) const
{
    std::optional<std::int64_t> last;
    for (const Value& value : consumes(m_flow.op(op), m_schedule.shape)) {
        const auto receive = m_flow.receive(value, m_flow.deviceOf(op));
        const auto producer = receive && ran(*receive) ? receive : m_flow.producer(value, op);
        if (producer && ran(*producer))
            last = std::max(last.value_or(of(*producer).end), of(*producer).end);
    }
    return last;
}

} // namespace profiler

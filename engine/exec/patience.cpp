#include "engine/exec/patience.h"

#include <utility>

namespace engine {

bool Watchdog::hasMoved(std::int64_t now, std::size_t steps)
{
    if (std::exchange(m_steps, steps) == steps && m_moved > 0)
        return false;
    m_moved = now;
    return true;
}

Watchdog::Verdict Watchdog::judge(std::int64_t now, bool allWait,
                                  std::span<const RunningOp> running)
{
    m_observed.resize(running.size());
    bool isBusy = !allWait;
    for (std::size_t i = 0; i < running.size(); ++i) {
        const auto& [op, before] = running[i];
        if (op != m_observed[i].op)
            m_observed[i] = {op, now};
        const std::int64_t time = now - m_observed[i].since;
        if (op && time > longestOp(m_patience, before))
            return {Verdict::Kind::EndlessOp, time, i};
        isBusy = isBusy || op;
    }
    if (isBusy)
        m_busy = now;
    const std::int64_t still = now - m_moved;
    if (now - std::max(m_moved, m_busy) > m_patience.count())
        return {Verdict::Kind::Standstill, still};
    if (m_isOnGpus && !allWait && still > longestOp(m_patience, 0))
        return {Verdict::Kind::SilentDriver, still};
    return {};
}

} // namespace engine

#pragma once

#include "engine/schedule/schedule.h"

#include <vector>

namespace engine::parts {

// Start times of a schedule of whole forwards and backwards. Every op starts as early as possible,
// messages are free, and a stage's forward takes one tick, its backward two.
class UnitStarts
{
public:
    // Requires a complete schedule without deadlock.
    explicit UnitStarts(const Schedule& schedule);

    std::int64_t forward(int stage, int microBatch) const
    {
        return m_forward[at(stage, microBatch)];
    }
    std::int64_t backward(int stage, int microBatch) const
    {
        return m_backward[at(stage, microBatch)];
    }

private:
    std::size_t at(int stage, int microBatch) const
    {
        return static_cast<std::size_t>(microBatch) * m_stages + stage;
    }
    std::int64_t inputOf(const Op& op) const;
    std::size_t run(const std::vector<Op>& ops, std::size_t next, std::int64_t& free);

    int m_stages = 0;
    std::vector<std::int64_t> m_forward, m_backward; // [micro-batch][stage], -1: unknown
};

} // namespace engine::parts

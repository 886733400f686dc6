#pragma once

#include "engine/timeline/run.h"
#include "profiler/analysis/data_flow.h"

#include <optional>
#include <vector>

namespace profiler {

// The recorded window of every op of one iteration, and the arrival of its inputs. The run must
// outlive this object.
class IterationTimes
{
public:
    IterationTimes(const engine::Run& run, int iteration);

    const DataFlow& flow() const { return m_flow; }
    engine::Window window() const { return m_iteration; } // of the iteration
    bool ran(std::uint32_t op) const { return m_windows[op].begin <= m_windows[op].end; }
    engine::Window of(std::uint32_t op) const { return m_windows[op]; }
    // Whether all compute ops were recorded. (Traces may lack messages.)
    bool isComplete() const;

    // The time when the last input of a compute op arrived on its device; nullopt if the op has no
    // input.
    std::optional<std::int64_t> arrival(std::uint32_t op) const;
    // Indexed by op (OpIndex): the previous compute op on the device of the op. kNone for the first
    // compute op of a device and for ops that do not compute. All ops of a joint group have the
    // same predecessor: the op before the group.
    static constexpr std::uint32_t kNone = 0xFFFFFFFF;
    const std::vector<std::uint32_t>& before() const { return m_before; }

private:
    const engine::Schedule& m_schedule;
    DataFlow m_flow;
    engine::Window m_iteration;
    std::vector<engine::Window> m_windows;
    std::vector<std::uint32_t> m_before;
};

} // namespace profiler

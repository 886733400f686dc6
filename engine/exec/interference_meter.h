#pragma once

#include "engine/schedule/schedule.h"
#include "engine/timeline/interference.h"
#include "engine/timeline/op_timing.h"

#include <span>
#include <vector>

namespace engine {

// Compares the duration of each op in an iteration whose ops ran alone with the op's median
// duration while other devices were busy. `lowered` must outlive the meter.
class InterferenceMeter
{
public:
    explicit InterferenceMeter(const Schedule& lowered);

    // Replaces the durations of the previous call of addAlone().
    void addAlone(std::span<const OpTiming> iteration);
    void addBeside(std::span<const OpTiming> iteration);

    // Returns the summed durations of each kind of op, in the order of OpKind. Empty until both an
    // op that ran alone and an op that ran concurrently have been recorded.
    std::vector<Interference> result() const;

private:
    const Schedule& m_lowered;
    std::vector<std::int64_t> m_alone;                   // [OpIndex] ns; 0: not measured
    std::vector<std::vector<std::int64_t>> m_concurrent; // [OpIndex][iteration]
};

} // namespace engine

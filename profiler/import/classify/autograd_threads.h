#pragma once

#include "profiler/analysis/windows.h"
#include "profiler/import/classify/marked_ranges.h"

#include <cstdint>
#include <vector>

namespace profiler {

// Knows which host threads belong to PyTorch's autograd engine, and when other threads run
// functions of the engine.
class AutogradThreads
{
public:
    AutogradThreads(const RankTrace& trace, const MarkedRanges& marks);

    // Whether the engine launched the work that `thread` launched at `time`.
    bool launched(std::uint32_t thread, std::int64_t time) const
    {
        return m_isEngine[thread] || contains(m_functions[thread], time);
    }

private:
    std::vector<bool> m_isEngine;     // by thread: whether it belongs to the engine
    std::vector<Windows> m_functions; // by thread: when functions of the engine run
};

} // namespace profiler

#pragma once

#include "profiler/why/why.h"

#include <memory>
#include <vector>

namespace app {

// The critical path of one iteration, for the lanes and the ruler of a timeline.
struct PathMarks
{
    profiler::Why why;
    // By OpIndex: whether the op is on the path. Both the send and the receive of a message on the
    // path are marked.
    std::vector<bool> ops;

    bool has(const engine::Span& span) const
    {
        return static_cast<int>(span.iteration) == why.path.iteration && ops[span.op];
    }
};
using PathMarksPointer = std::shared_ptr<const PathMarks>;

} // namespace app

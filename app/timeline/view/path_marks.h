#pragma once

#include "profiler/why/why.h"

#include <QString>

#include <memory>
#include <vector>

namespace app {

// The critical path of one iteration, for the lanes of a timeline.
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

// A reason for the length of the path, for the ruler and the lanes. Its number is not its place in
// a list, because reasons are numbered by gain.
struct PathReason
{
    int number = 0; // on the ruler; 0: it is shown only while it is highlighted
    QString plate;  // on the ruler while it is highlighted: "2 drain 12.4 ms"
    QString tip;
    engine::DeviceId device;
    engine::Window window;
    std::vector<std::size_t> parts; // indices into CriticalPath::parts, ascending
};

} // namespace app

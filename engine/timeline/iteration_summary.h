#pragma once

#include "engine/timeline/timeline.h"

#include <vector>

namespace engine {

// Sums of an iteration without spans. Ticks; the terms are those of profiler/analysis.
struct DeviceSummary
{
    Window computed;           // first begin to last end of its compute ops with a duration
    Window own;                // as above, including all-reduces
    std::int64_t compute = 0;  // union of them
    double peakStash = 0;      // parts (stash.h)
    std::int64_t peakKept = 0; // parts, of stashes that a RECOMPUTE rebuilds
    int messagesSent = 0, messagesReceived = 0, localCopies = 0;
};

struct IterationSummary
{
    Window window;
    IdVector<DeviceId, DeviceSummary> devices;
    // Whether messages, all-reduces and copies take time. Their exposed part is unknown without
    // spans.
    bool hasCommunication = false;
};

} // namespace engine

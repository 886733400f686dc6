#pragma once

#include "engine/timeline/timeline.h"

#include <vector>

namespace engine {

// What is left of an iteration of which no spans were kept. Ticks; the terms are those of
// profiler/analysis.
struct DeviceSummary
{
    Window computed;           // first begin to last end of its compute ops that take time
    Window own;                // the same with its all-reduces
    std::int64_t compute = 0;  // union of them
    double peakStash = 0;      // parts (stash.h)
    std::int64_t peakKept = 0; // parts, of those that a RECOMPUTE rebuilds
    int messagesSent = 0, messagesReceived = 0, localCopies = 0;
};

struct IterationSummary
{
    Window window;
    std::vector<DeviceSummary> devices;
    // Whether messages, all-reduces and copies take time. What of it compute does not hide cannot
    // be told without spans.
    bool hasCommunication = false;
};

} // namespace engine

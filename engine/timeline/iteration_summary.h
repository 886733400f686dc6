#pragma once

#include "engine/timeline/timeline.h"

#include <vector>

namespace engine {

// Sums over an iteration, in ticks, for simulations that store no spans. profiler/analysis defines
// the terms.
struct DeviceSummary
{
    Window computed;           // first start to last end of the compute ops with a duration
    Window own;                // like `computed`, including all-reduces
    std::int64_t compute = 0;  // length of the union of the compute ops' windows
    double peakStash = 0;      // in parts (schedule/check/stash.h)
    std::int64_t peakKept = 0; // peak of HeldParts::kept (schedule/check/stash.h)
    int messagesSent = 0, messagesReceived = 0, localCopies = 0;
};

struct IterationSummary
{
    Window window;
    IdVector<DeviceId, DeviceSummary> devices;
    // Whether messages, all-reduces or copies take time. The exposed part of that time cannot be
    // computed without spans.
    bool hasCommunication = false;
};

} // namespace engine

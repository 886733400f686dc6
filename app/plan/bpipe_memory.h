#pragma once

#include "app/plan/bpipe_plan.h"

#include <vector>

namespace app {

// The memory of one device in bytes, at the time of its peak in a simulated iteration.
struct DevicePeak
{
    double weights = 0, gradients = 0, optimizer = 0, stash = 0;
    double guests = 0; // stashes of the partner device, which are not part of `stash`

    double sum() const { return weights + gradients + optimizer + stash + guests; }
};

// Returns the peak of each device; empty if the prediction has no run with memory.
std::vector<DevicePeak> devicePeaks(const Prediction& prediction);

struct BpipeMemory
{
    std::vector<DevicePeak> oneFOneB, bpipe; // one per device
    int microBatches = 0;                    // number of simulated micro-batches
};

// Simulates 1F1B and BPipe with micro-batches of `size` sequences. At most 4 D micro-batches are
// simulated, because the peaks no longer grow after 2 D. Takes milliseconds for 8 devices. Fails if
// the schedule or its times are too large to simulate.
engine::Result<BpipeMemory> bpipeMemory(const BpipePlan& plan, int size);

} // namespace app

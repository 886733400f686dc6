#pragma once

#include "app/models/plan/bpipe_plan.h"

#include <vector>

namespace app {

// The memory of one device at the highest moment of a simulated iteration, in bytes.
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
    int microBatches = 0;                    // simulated
};

// Simulates 1F1B and BPipe with micro-batches of `size` sequences. The peaks do not grow after
// 2 D micro-batches, so at most 4 D are simulated. Takes milliseconds for 8 devices. Fails if
// the schedule is impossible, such as BPipe on fewer than 4 devices.
engine::Result<BpipeMemory> bpipeMemory(const BpipePlan& plan, int size);

} // namespace app

#pragma once

#include "engine/schedules/parts/program.h"

#include <queue>

#include <array>

namespace engine::parts {

// One of the two pipelines through a device: the stage of one direction (DualPipe), or one of the
// two chunks of a V (DualPipeV).
struct DualPipePhase
{
    int replica = 0, stage = 0, firstMicroBatch = 0;
};

struct DualPipePlace
{
    int depth = 0;        // distance of the device from the device where phase 0 begins
    int devices = 0;      // number of devices up to the one where the phases meet
    int microBatches = 0; // number of micro-batches of each phase
};

// Writes the eight steps of DualPipe on one device. F0 is a forward of phase 0, and so on; F&B run
// as one op; W is the oldest postponed weight gradient. h, H and N' are the fields depth, devices
// and microBatches of DualPipePlace; N' is per phase.
//
//   1. F0                 2(H-h-1) times
//   2. F0 F1              h+1
//   3. I1 W F1            H-h-1
//   4. F0&B1 F1&B0        N'-2H+h+1; on the innermost device the first F0 and B1 are not one op
//   5. B1 F1&B0           H-h-1
//   6. B1 B0              h+1; the second half of these backwards runs as I, which postpones W
//   7. W I0               H-h-1
//   8. W                  h+1
void writeDualPipe(Program& program, const std::array<DualPipePhase, 2>& phases,
                   const DualPipePlace& place);

} // namespace engine::parts

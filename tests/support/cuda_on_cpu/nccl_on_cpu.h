#pragma once

#include <cstddef>

// NCCL between the emulated GPUs, behind the table of functions that the plug-in calls
// (engine/backend/cuda/nccl/functions.h). A call is a kernel on its stream that has begun when the
// stream comes to it, and ends when those of the other ranks have begun, too. Calls meet by their
// order alone: of different lengths or types they wait for ever. As the real one it connects ranks
// at their first call, until when that is not taken, adds in an order of its own, and never joins a
// GPU twice.
namespace cuda_on_cpu {

struct NcclBehaviour
{
    bool exists = true;
    int absentGpu = -1;     // whose ranks never join
    int failingCall = -1;   // from this one on every communicator has failed, and no kernel ends
    int looksBefore = 0;    // at how many states it does not show yet
    std::size_t memory = 0; // bytes of its GPU that a rank takes from when it joins until it leaves
};
void emulateNccl(const NcclBehaviour& behaviour); // from here on

std::size_t ncclCalls();         // messages and sums, both ends, so far
std::size_t liveCommunicators(); // ranks that were neither destroyed nor aborted
int mostChannels();              // that communicators of one GPU ever might take at once
// Whether one was aborted while kernels of another of its GPU, not aborted, went on: a real one
// would wait for them.
bool hasAbortHung();

} // namespace cuda_on_cpu

#pragma once

#include "engine/backend/kernels.h"

#include <string>

namespace engine {

// The measured rate of large matrix products on a device. MFU is relative to this rate, because
// data sheets do not have the rate of one CPU core.
struct GemmPeak
{
    double flops = 0;   // FLOP/s
    std::string source; // "measured: sgemm of 512 x 512 x 512"
};

// Multiplies matrices for about 30 ms on the calling thread, with kernels for host memory, and
// returns the best rate by the thread's CPU clock.
GemmPeak measureGemmPeak(const Kernels<float>& kernels);

} // namespace engine

#pragma once

#include "engine/backend/kernels.h"

#include <string>

namespace engine {

// The roofline of a device: its rate of matrix products of a favourable size, on which MFU is
// based, because no data sheet has the rate of one core of this machine.
struct GemmPeak
{
    double flops = 0;   // per second
    std::string source; // "measured: sgemm of 512 x 512 x 512"
};

// With kernels for host memory. Multiplies for about 30 ms on the calling thread and returns the
// best rate, by the thread's CPU clock.
GemmPeak measureGemmPeak(const Kernels<float>& kernels);

} // namespace engine

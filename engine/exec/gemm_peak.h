#pragma once

#include "engine/backend/kernels.h"

#include <string>

namespace engine {

// The roofline of a device: how fast it multiplies matrices that suit it. What a run reaches of it
// is its model FLOP utilisation, since no data sheet says what one core of this machine can do.
struct GemmPeak
{
    double flops = 0;   // per second
    std::string source; // "measured: sgemm of 512 x 512 x 512"
};

// Of kernels of this process's memory. Multiplies for some 30 ms on the calling thread and takes
// the best, on the thread's CPU clock.
GemmPeak measureGemmPeak(const Kernels<float>& kernels);

} // namespace engine

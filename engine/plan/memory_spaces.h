#pragma once

#include "engine/base/units.h"

#include <vector>

namespace engine {

// A memory in which arenas are allocated: that of the machine or of one GPU.
struct MemorySpace
{
    // Bytes that are free after all devices were opened; 0: unknown, and everything fits.
    Bytes free = 0;
    int gpu = -1; // -1: the memory of the machine, which also holds the recording

    bool isGpu() const { return gpu >= 0; }
    // Returns the usable part of `free`. The rest is left for other processes or, on a GPU, for
    // graphs, tracers and kernels that are loaded late.
    double usable() const;
    bool holds(double bytes) const { return free <= 0 || bytes <= usable(); }
};

// The memories of a run; not empty.
using MemorySpaces = std::vector<MemorySpace>;

// Returns the index in `spaces` of a device's memory. `devices` is the number of devices of all
// data-parallel pipelines; device_placement.h places them on GPUs.
int spaceOf(int device, int devices, const MemorySpaces& spaces);

} // namespace engine

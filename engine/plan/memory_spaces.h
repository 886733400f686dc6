#pragma once

#include "engine/base/units.h"

#include <vector>

namespace engine {

// A memory that contains arenas: of the machine, or of a GPU.
struct MemorySpace
{
    Bytes free = 0; // after all devices were opened; 0: unknown, everything fits
    int gpu = -1;   // -1: the machine's memory, which also has the recording

    bool isGpu() const { return gpu >= 0; }
    // The usable part of `free`. The rest is left for other processes, or on a GPU for kernels
    // loaded late, graphs and tracers.
    double usable() const;
    bool holds(double bytes) const { return free <= 0 || bytes <= usable(); }
};

// The memories of a run; not empty.
using MemorySpaces = std::vector<MemorySpace>;

// The index in `spaces` of the memory of device `device`. `devices` is the number of devices of all
// data-parallel pipelines (device_placement.h places them on GPUs).
int spaceOf(int device, int devices, const MemorySpaces& spaces);

} // namespace engine

#pragma once

#include "engine/base/units.h"

#include <vector>

namespace engine {

// A memory that holds arenas: the machine's, or a GPU's.
struct MemoryRoom
{
    Bytes free = 0; // after all devices were opened; 0: unknown, everything fits
    int gpu = -1;   // -1: the machine, which also holds the recording

    bool isGpu() const { return gpu >= 0; }
    // Leaves some memory free: for other processes, or on a GPU for kernels loaded late, graphs
    // and tracers.
    double usable() const;
    bool holds(double bytes) const { return free <= 0 || bytes <= usable(); }
};

// Of a run; not empty.
using MemoryRooms = std::vector<MemoryRoom>;

// The index in `rooms` for the arena of a device, of `devices` over all copies of the pipeline,
// placed on GPUs by device_placement.h.
int roomOf(int device, int devices, const MemoryRooms& rooms);

} // namespace engine

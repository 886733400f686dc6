#pragma once

#include "engine/base/units.h"

#include <vector>

namespace engine {

// A memory in which arenas lie: the machine's, or a GPU's.
struct MemoryRoom
{
    Bytes free = 0; // when all devices have been opened; 0: unknown, everything fits
    int gpu = -1;   // -1: the machine, which keeps the record of the run, too

    bool isGpu() const { return gpu >= 0; }
    // Some is left to others: of a machine to the rest of it, of a GPU to kernels that are loaded
    // late, graphs and a tracer's buffers.
    double usable() const;
    bool holds(double bytes) const { return free <= 0 || bytes <= usable(); }
};

// Those of a run; never none.
using MemoryRooms = std::vector<MemoryRoom>;

// In which of `rooms` the arena of a device lies, where there are `devices` in all, counted through
// all copies of the pipeline: as they are placed on GPUs (device_placement.h).
int roomOf(int device, int devices, const MemoryRooms& rooms);

} // namespace engine

#include "engine/plan/memory_spaces.h"

#include "engine/backend/device_placement.h"

#include <algorithm>

namespace engine {

double MemorySpace::usable() const
{
    constexpr double kOfMachine = 0.1, kOfGpu = 0.03, kLeast = 1e9;
    const double all = free;
    const double kept
        = isGpu() ? std::min(kOfMachine * all, std::max(kLeast, kOfGpu * all)) : kOfMachine * all;
    return all - kept;
}

int spaceOf(int device, int devices, const MemorySpaces& spaces)
{
    return placeDevices(devices, spaces.size()).gpuOf(device);
}

} // namespace engine

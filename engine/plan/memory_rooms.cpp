#include "engine/plan/memory_rooms.h"

#include "engine/backend/device_placement.h"

#include <algorithm>

namespace engine {

double MemoryRoom::usable() const
{
    constexpr double kOfMachine = 0.1, kOfGpu = 0.03, kLeast = 1e9;
    const double all = free;
    const double kept
        = isGpu() ? std::min(kOfMachine * all, std::max(kLeast, kOfGpu * all)) : kOfMachine * all;
    return all - kept;
}

int roomOf(int device, int devices, const MemoryRooms& rooms)
{
    return placeDevices(devices, rooms.size()).gpuOf(device);
}

} // namespace engine

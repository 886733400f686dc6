#include "engine/pipeline/lost_devices.h"

#include <atomic>

namespace engine {
namespace {

std::atomic<bool> areLost = false;

} // namespace

bool devicesAreLost()
{
    return areLost;
}

void markDevicesLost()
{
    areLost = true;
}

} // namespace engine

#include "engine/pipeline/lost_devices.h"

#include <atomic>

namespace engine {
namespace {

std::atomic<bool> g_devicesAreLost = false;

} // namespace

bool devicesAreLost()
{
    return g_devicesAreLost;
}

void markDevicesLost()
{
    g_devicesAreLost = true;
}

} // namespace engine

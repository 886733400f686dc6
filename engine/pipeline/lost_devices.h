#pragma once

#include <memory>

namespace engine {

// Whether a GPU no longer responds, so that its work never ends. Objects that the GPU uses must
// then not be destroyed, because their destructors would wait for the GPU, and the process must end
// with std::_Exit. Thread-safe.
bool devicesAreLost();
void markDevicesLost();

// Leaks an object that threads or a GPU may still be using, and marks the devices as lost.
template<class Used>
void keepForever(std::unique_ptr<Used> used)
{
    markDevicesLost();
    static_cast<void>(used.release());
}

} // namespace engine

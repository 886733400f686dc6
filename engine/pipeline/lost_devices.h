#pragma once

#include <memory>

namespace engine {

// After an error of whatever ran: a GPU does not end what it was given. What uses it is left as it
// is, and the process has to end without destroying anything (std::_Exit), or it would wait for
// the GPU. Any thread.
bool devicesAreLost();
void markDevicesLost();

// For what threads and a GPU still use: as long as the process lives.
template<class Used>
void keepForever(std::unique_ptr<Used> used)
{
    markDevicesLost();
    static_cast<void>(used.release());
}

} // namespace engine

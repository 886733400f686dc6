#pragma once

#include "engine/timeline/run.h"

#include <vector>

namespace engine {

// [device] node of the device in the first copy, from 0: by the hosts of an imported run, or by the
// mapping of an emulated run. Empty if the nodes are unknown or there is only one.
std::vector<int> nodesOfDevices(const Run& run);

} // namespace engine

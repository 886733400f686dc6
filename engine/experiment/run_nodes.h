#pragma once

#include "engine/timeline/run.h"

#include <vector>

namespace engine {

// Returns the node of each device in the first data-parallel copy, counted from 0. An imported run
// gives the nodes by its hosts, an emulated run by its mapping. Empty if the nodes are unknown or
// there is only one.
std::vector<int> nodesOfDevices(const Run& run);

} // namespace engine

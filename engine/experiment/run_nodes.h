#pragma once

#include "engine/timeline/run.h"

#include <vector>

namespace engine {

// Numbered from 0, for the first data-parallel copy. In an imported run each host is a node; in an
// emulated run the mapping gives the nodes. Empty if the nodes are unknown or there is only one.
std::vector<int> nodesOfDevices(const Run& run);

} // namespace engine

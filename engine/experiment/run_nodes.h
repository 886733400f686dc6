#pragma once

#include "engine/timeline/run.h"

#include <vector>

namespace engine {

// [device] Its node in the first copy, numbered from 0: by the hosts of an imported run, or by the
// mapping of an emulated one. Empty if the run does not say, or has one node.
std::vector<int> nodesOfDevices(const Run& run);

} // namespace engine

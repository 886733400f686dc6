#pragma once

#include "engine/experiment/experiment.h"

namespace engine {

// The bscope command that repeats the run; what is default is left out.
std::string commandOf(const Experiment& experiment);
std::string describeLink(const LinkCost& link); // "50 GB/s, 5 us (assumed)", "free"

} // namespace engine

#pragma once

#include "engine/experiment/experiment.h"

#include <span>

namespace engine {

// "bscope COMMAND ARGUMENTS", quoted for a shell.
std::string commandText(std::string_view command, std::span<const std::string> arguments);
// The bscope command that repeats the run, without defaults.
std::string commandOf(const Experiment& experiment);
std::string describeLink(const LinkCost& link); // "50 GB/s, 5 µs (assumed)", "free"

} // namespace engine

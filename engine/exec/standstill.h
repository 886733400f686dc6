#pragma once

#include "engine/pipeline/pipeline.h"

#include <string>

namespace engine {

// When nothing moves: who waits for whom. `positions` of the devices in their programs, which
// stand still; those of one copy after the other. One line.
std::string describeStandstill(Pipeline& pipeline, std::span<const std::uint32_t> positions);

} // namespace engine

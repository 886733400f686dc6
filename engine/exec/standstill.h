#pragma once

#include "engine/pipeline/pipeline.h"

#include <string>

namespace engine {

// Describes in one line which devices wait for what when no op makes progress. `positions` has the
// position of each device in its program: the devices of the first data-parallel pipeline, then
// those of the second, and so on.
std::string describeStandstill(Pipeline& pipeline, std::span<const std::uint32_t> positions);

} // namespace engine

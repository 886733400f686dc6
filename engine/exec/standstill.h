#pragma once

#include "engine/pipeline/pipeline.h"

#include <string>

namespace engine {

// Describes in one line which devices wait for what when no op makes progress. `positions` are
// those of the devices in their programs, copy by copy.
std::string describeStandstill(Pipeline& pipeline, std::span<const std::uint32_t> positions);

} // namespace engine

#pragma once

#include "engine/pipeline/pipeline.h"

#include <string>

namespace engine {

// Describes in one line which device waits for which when nothing advances. `positions`: of the
// devices in their programs, copy by copy.
std::string describeStandstill(Pipeline& pipeline, std::span<const std::uint32_t> positions);

} // namespace engine

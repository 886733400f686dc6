#pragma once

#include "engine/cost/mapping.h"

namespace engine {

// Reads the slots of a mapping from a TOML file. The result is indexed by copy x D + device. The
// file must assign a different slot to every device of the shape.
Result<std::vector<int>> readMappingFile(std::string_view file, const Shape& shape,
                                         const NodeShape& nodes);

} // namespace engine

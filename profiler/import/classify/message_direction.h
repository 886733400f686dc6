#pragma once

#include "profiler/import/rank_trace.h"

#include <string_view>

namespace profiler {

// Whether a message goes to the next stage. `group` lists the ranks of its process group, such as
// "[0, 1, 2]". If ranks have several chunks, the last rank is followed by the first one; of two
// ranks it is unknown which message that is.
bool goesToNextStage(const NcclArguments& message, std::string_view group);

} // namespace profiler

#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

namespace engine {

// Unsupported names the first op that this version does not train with.
Result<void> checkRunnable(const Schedule& lowered);

} // namespace engine

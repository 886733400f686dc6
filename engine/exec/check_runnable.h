#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

namespace engine {

// Unsupported names the first op that this version does not run (it runs F and B of whole
// micro-batches and what lower() adds).
Result<void> checkRunnable(const Schedule& lowered);

} // namespace engine

#pragma once

#include "engine/timeline/run.h"

namespace profiler {

// The memory of a device of the run: that of the assumed hardware, the one requested with
// --device-memory or, if every device had a separate GPU, of the smallest GPU. Unknown otherwise.
engine::MemoryCapacity deviceMemory(const engine::Run& run);

} // namespace profiler

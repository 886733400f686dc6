#pragma once

#include "engine/base/result.h"
#include "engine/timeline/run.h"

namespace profiler {

class Database;

// Sets Timeline::kernels of an imported run from the kernels in its file.
engine::Result<void> readKernelTimes(Database& database, engine::Run& run);

} // namespace profiler

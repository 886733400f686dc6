#pragma once

#include "app/timeline/view/path_marks.h"
#include "engine/base/result.h"
#include "engine/timeline/run.h"

namespace app {

// Explains an iteration. Fails like profiler::whyNotFaster(). May be called on any thread.
engine::Result<PathMarksPointer> makePathMarks(const engine::Run& run, int iteration);

// Returns the reason with the most time among the reasons that contain this op; -1: none.
int reasonOf(const PathMarks& marks, std::uint32_t op);

} // namespace app

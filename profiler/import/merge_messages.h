#pragma once

#include "profiler/import/iterations.h"

namespace profiler {

// Merges the parts of messages: a program may send the shape of a tensor before it, or several
// tensors. If a rank has k messages of a kind per micro-batch, k of them in order are one. The
// returned iterations do not contain the other parts.
FoundIterations mergeMessages(Job& job, FoundIterations iterations);

} // namespace profiler

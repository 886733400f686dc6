#pragma once

#include "profiler/import/classify/classify.h"

namespace profiler {

// Removes segments that are no forward: copies without a kernel, and work between the last backward
// and the end of an iteration, such as the clipping of gradients.
void removeFalseForwards(ClassifiedRank& rank);

} // namespace profiler

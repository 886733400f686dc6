#pragma once

#include "profiler/import/classify/classify.h"

namespace profiler {

// Removes segments that are no forward: copies without a kernel; work between the last backward and
// the end of an iteration, such as the clipping of gradients; work before the first message of an
// iteration if the rank receives it, such as the clearing of gradients.
void removeFalseForwards(ClassifiedRank& rank);

} // namespace profiler

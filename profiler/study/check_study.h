#pragma once

#include "profiler/study/study.h"

namespace profiler {

// Returns why the tables of a study do not fit together, for example a chart of an axis that is not
// in the grid; "" if they do.
std::string studyFault(const Study& study);

} // namespace profiler

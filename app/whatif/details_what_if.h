#pragma once

#include "app/timeline/details/details.h"
#include "app/whatif/what_if.h"

namespace app {

// Describes a prediction: the causes of its difference from the measured run, the memory of its
// devices, and its assumptions. `row` has the interval and the memory; nullptr: not known yet.
// `memoryLimit` is in bytes; 0: none.
Details describeWhatIf(const WhatIfDetails& prediction, const WhatIfRow* row,
                       const WhatIfChanges& changes, std::int64_t memoryLimit);

} // namespace app

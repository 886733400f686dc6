#pragma once

#include "app/models/plan/what_if.h"
#include "app/timeline/details/details.h"

namespace app {

// Describes a prediction: the causes of its difference from the measured run, the memory of its
// devices, and its assumptions. `row` has the interval and the memory; nullptr: not known yet.
Details describeWhatIf(const WhatIfDetails& prediction, const WhatIfRow* row,
                       const WhatIfChanges& changes);

} // namespace app

#pragma once

#include "app/timeline/details/details.h"
#include "app/ui/numbers.h"
#include "app/whatif/what_if.h"

namespace app {

// The result of a prediction, in one sentence.
struct WhatIfVerdict
{
    enum class Kind : std::uint8_t { Shorter, Unclear, Longer, AlmostFull };

    Kind kind = Kind::Unclear;
    QString bold, rest; // "ZB-V would take 412 ms instead of 488 ms" "(−15.6 %, ...)"
};

// The input of a verdict. `measuredBytes` is the peak of each device; empty: unknown.
struct WhatIfNumbers
{
    std::int64_t measured = 0; // in ns
    engine::IdVector<engine::DeviceId, std::int64_t> measuredBytes;
    std::int64_t memoryLimit = 0; // bytes; 0: none
    // The numbers of micro-batches of the measured and of the predicted iteration. If they differ,
    // the times per micro-batch are compared.
    int measuredBatches = 1, batches = 1;
};
// Returns the measured iteration time, scaled to the number of micro-batches of the prediction.
std::int64_t atPace(const WhatIfNumbers& numbers);
WhatIfVerdict verdictOf(const WhatIfRow& row, const WhatIfNumbers& numbers);

// Returns the peak of each device of a compared run; empty if the peak of any device is unknown.
engine::IdVector<engine::DeviceId, std::int64_t> peaksOf(const profiler::ComparedRun& run);

// Describes a prediction: the causes of its difference from the measured run, the memory of its
// devices, and its assumptions. `row` has the interval and the memory; nullptr: not known yet.
// `memoryLimit` is in bytes; 0: none.
Details describeWhatIf(const WhatIfDetails& prediction, const WhatIfRow* row,
                       const WhatIfChanges& changes, std::int64_t memoryLimit);

} // namespace app

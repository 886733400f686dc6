#pragma once

#include "engine/base/id.h"

namespace app {

// A micro-batch in one iteration. The timeline dims the boxes of all others.
struct Flow
{
    engine::MicroBatchId microBatch;
    int iteration = -1;

    friend bool operator==(const Flow&, const Flow&) = default;
};

} // namespace app

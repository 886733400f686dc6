#pragma once

#include "engine/base/id.h"

namespace app {

// A micro-batch in one iteration. Its boxes keep their colour, others are dimmed.
struct Flow
{
    engine::MicroBatchId microBatch;
    int iteration = -1;

    friend bool operator==(const Flow&, const Flow&) = default;
};

} // namespace app

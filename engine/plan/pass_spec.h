#pragma once

#include "engine/base/result.h"
#include "engine/model/model_spec.h"
#include "engine/schedule/schedule.h"

namespace engine {

// The input of one pass: a micro-batch, half of its samples, or a slice of its sequence
// (UnitRange).
struct PassSpec
{
    ModelSpec model; // has half the micro-batch size if the schedule has halves
    int slices = 1;  // number of sequence slices
};
// Fails if the samples cannot be halved or the sequence cannot be sliced evenly.
Result<PassSpec> passSpec(ModelSpec model, const Schedule& lowered);

} // namespace engine

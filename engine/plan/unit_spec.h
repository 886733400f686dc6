#pragma once

#include "engine/base/result.h"
#include "engine/model/model_spec.h"
#include "engine/schedule/schedule.h"

namespace engine {

// What one pass works on: a micro-batch, half of its samples, or one of the slices of its sequence,
// as the schedule has it (stash_plan.h).
struct UnitSpec
{
    ModelSpec model; // of half the samples, where the schedule works on halves
    int slices = 1;  // of the sequence
};
// An error when the samples cannot be halved, or the sequence not cut.
Result<UnitSpec> unitSpec(ModelSpec model, const Schedule& lowered);

} // namespace engine

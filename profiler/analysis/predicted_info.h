#pragma once

#include "engine/cost/fraction.h"
#include "engine/cost/model_prices.h"
#include "engine/timeline/run.h"

#include <string_view>

namespace profiler {

// Assumptions if only the attention is recomputed: its share of a forward, and the share of an
// activation that is kept. Without scores 34 of 34 + 5 a s/h bytes per s b h remain; for GPT-3 5
// a s/h is 80.
inline constexpr engine::Fraction kAttentionShare{1, 5};
inline constexpr double kAttentionKeeps = 0.3;

// Describes the model of a prediction in the info, and the part of it to which rates refer.
void describeModel(const engine::ModelOnHardware& on, const engine::Shape& shape,
                   engine::RunInfo& info);
// As above for a recorded run with the name `file`. Values per micro-batch are scaled by their
// number.
void describeRecorded(const engine::Run& recorded, std::string_view file,
                      const engine::Shape& shape, engine::RunInfo& info);

} // namespace profiler

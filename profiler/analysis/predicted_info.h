#pragma once

#include "engine/cost/fraction.h"
#include "engine/cost/model_prices.h"
#include "engine/timeline/run.h"

#include <string_view>

namespace profiler {

// Assumptions for recomputing only attention. kAttentionShare is the recomputed share of the
// forward's time, and kAttentionKeeps is the share of the activations that is kept. A layer stores
// (34 + 5 a s/h) s b h bytes, of which 34 s b h are kept (Korthikanti et al., arXiv 2205.05198).
// For GPT-3, 5 a s/h is 80, so the kept share is 34/114.
inline constexpr engine::Fraction kAttentionShare{1, 5};
inline constexpr double kAttentionKeeps = 0.3;

// Adds to `info` the model of a prediction, and the numbers from which rates are computed.
void describeModel(const engine::ModelOnHardware& on, const engine::Shape& shape,
                   engine::RunInfo& info);
// Like describeModel(), for the model of a recorded run in `file`. Values per iteration are scaled
// to the number of micro-batches of `shape`.
void describeRecorded(const engine::Run& recorded, std::string_view file,
                      const engine::Shape& shape, engine::RunInfo& info);

} // namespace profiler

#pragma once

#include "engine/cost/fraction.h"
#include "engine/cost/model_prices.h"
#include "engine/timeline/run.h"

#include <string_view>

namespace profiler {

// Where only the attention is made again: of a forward, an assumption as every unit cost is; and of
// an activation what stays: without scores 34 of 34 + 5 a s/h bytes are left for each s b h, and 80
// of GPT-3's are scores.
inline constexpr engine::Fraction kAttentionShare{1, 5};
inline constexpr double kAttentionKeeps = 0.3;

// What a prediction says of the model it was costed with, and with how much of it the rates count.
void describeModel(const engine::ModelOnHardware& on, const engine::Shape& shape,
                   engine::RunInfo& info);
// The same of a recorded run; `file` is how it is named. What counts by the micro-batch follows
// their number.
void describeRecorded(const engine::Run& recorded, std::string_view file,
                      const engine::Shape& shape, engine::RunInfo& info);

} // namespace profiler

#pragma once

#include "engine/timeline/run.h"

#include <optional>
#include <vector>

namespace app {

// The durations of the ops of one iteration, in ticks, sorted.
struct OpTimes
{
    engine::EnumArray<engine::OpKind, std::vector<std::int64_t>, engine::kOpKinds> of;

    std::optional<double> median(engine::OpKind kind) const; // nullopt: no op of this kind ran
};
// `iteration` is an index into Timeline::iterations; -1: no times.
OpTimes opTimes(const engine::Run& run, int iteration);

} // namespace app

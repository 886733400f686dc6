#pragma once

#include "engine/timeline/run.h"

#include <optional>
#include <vector>

namespace app {

// For each kind of op, the sorted durations of its ops in one iteration, in ticks.
struct OpTimes
{
    engine::EnumArray<engine::OpKind, std::vector<std::int64_t>, engine::kOpKinds> of;

    std::optional<double> median(engine::OpKind kind) const; // nullopt: no op of this kind ran
};
// Returns the durations in one iteration (index into Timeline::iterations); empty for -1.
OpTimes opTimes(const engine::Run& run, int iteration);

} // namespace app

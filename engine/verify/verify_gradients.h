#pragma once

#include "engine/base/result.h"
#include "engine/experiment/accumulate.h"
#include "engine/model/model_spec.h"
#include "engine/pipeline/run_devices.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "engine/timeline/run.h"

#include <string>

namespace engine {

// Gradients of a scheme against plain sequential training.
struct GradientCheck
{
    std::string what;                        // "integer probe, bitpipe, D = 4, N = 8, live"
    std::size_t compared = 0, different = 0; // numbers, over replicas, stages and iterations
    double largestError = 0; // relative L2 of the worst stage, 0 when every bit is equal
    double tolerance = 0;    // of the error, where rounding must differ: sequence slices
    bool lossesEqual = true; // of every iteration, bit for bit or within the tolerance

    bool bitEqual() const { return compared > 0 && different == 0 && lossesEqual; }
    bool passed() const
    {
        return bitEqual() || (compared > 0 && largestError <= tolerance && lossesEqual);
    }
};

// A linear model of small integers, whose reference is computed in int64. Fails when a partial sum
// could reach 2^24 (then equality would prove nothing) or the request is no schedule.
Result<GradientCheck> checkIntegerProbe(const ScheduleRequest& request, Mode mode = Mode::Emulate,
                                        std::uint64_t seed = 1);
// The same on these devices, which are as many as the request's where they run live.
Result<GradientCheck> checkIntegerProbe(const ScheduleRequest& request, const RunDevices& on,
                                        std::uint64_t seed = 1);

struct RealModelCheck
{
    ModelSpec model;
    int iterations = 2; // with optimizer steps in between, so that stale weights show
    Accumulate accumulate = Accumulate::Exact;
    std::uint64_t seed = 1;
    Mode mode = Mode::Emulate; // or Live
    SyncPolicy sync = SyncPolicy::Eager;
};
// The real model. With Exact every bit must be equal; with Float the sums differ by their order.
Result<GradientCheck> checkRealGradients(const ScheduleRequest& request,
                                         const RealModelCheck& check);

} // namespace engine

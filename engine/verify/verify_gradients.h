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

// The result of comparing a scheme's gradients with those of sequential training.
struct GradientCheck
{
    std::string what;                        // "integer probe, bitpipe, D = 4, N = 8, live"
    std::size_t compared = 0, different = 0; // numbers, in all replicas, stages and iterations
    // Relative L2 error of the worst stage: 0 if all bits are equal, infinity for NaN.
    double largestError = 0;
    // Limit of largestError. 0 (all bits must be equal) unless sequence slices change the rounding.
    double tolerance = 0;
    bool lossesEqual = true; // in every iteration, bit for bit or within the tolerance

    bool bitEqual() const { return compared > 0 && different == 0 && lossesEqual; }
    bool passed() const
    {
        return bitEqual()
            || (tolerance > 0 && compared > 0 && largestError <= tolerance && lossesEqual);
    }
};

// Trains a linear model with small integers and compares its gradients with a reference in int64.
// Fails if the request is invalid, or if a partial sum could reach 2^24, because floats would then
// round and a correct scheme could give other gradients.
Result<GradientCheck> checkIntegerProbe(const ScheduleRequest& request, Mode mode = Mode::Emulate,
                                        std::uint64_t seed = 1);
// Runs the check on the devices `on`: in live mode on GPUs, one for each device of the request.
Result<GradientCheck> checkIntegerProbe(const ScheduleRequest& request, const RunDevices& on,
                                        std::uint64_t seed = 1);

struct RealModelCheck
{
    ModelSpec model;
    int iterations = 2; // with optimizer steps in between, to detect stale weights
    Accumulate accumulate = Accumulate::Exact;
    std::uint64_t seed = 1;
    Mode mode = Mode::Emulate; // Emulate or Live
    SyncPolicy sync = SyncPolicy::Eager;
};
// Trains the real model. With Accumulate::Exact all bits must be equal; with Accumulate::Float the
// order of sums differs.
Result<GradientCheck> checkRealGradients(const ScheduleRequest& request,
                                         const RealModelCheck& check);

} // namespace engine

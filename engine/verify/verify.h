#pragma once

#include "engine/base/result.h"
#include "engine/experiment/run_options.h"
#include "engine/model/model_spec.h"
#include "engine/pipeline/run_devices.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "engine/timeline/run.h"

#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

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
// The same for a schedule of compute ops in any order, which must be valid.
Result<GradientCheck> checkIntegerProbe(const Schedule& order, const RunDevices& on,
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
Result<GradientCheck> checkRealGradients(const Schedule& order, const RealModelCheck& check);

// Compares the gradient of one stage bit by bit and adds the result to `check`.
inline void compareGradients(std::span<const float> expected, std::span<const float> actual,
                             GradientCheck& check)
{
    const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double e = expected[i];
        const double d = static_cast<double>(actual[i]) - e;
        check.different += bits(expected[i]) != bits(actual[i]) ? 1 : 0;
        difference += d * d;
        norm += e * e;
    }
    check.compared += expected.size();
    const double error = norm > 0 ? std::sqrt(difference / norm) : difference;
    if (!(error <= check.largestError)) // also if `error` is NaN
        check.largestError = std::isnan(error) ? INFINITY : error;
}

// The result of one check on this machine.
struct VerifyCheck
{
    // The name of the check: "integer gradients", "exact gradients", "losses", "placement"; "time"
    // for a measurement without a criterion; "left out" for a check that is not possible on this
    // machine.
    std::string fact;
    std::string scheme; // with options: "1f1b attention=flash"
    int devices = 0, microBatches = 0;
    Mode mode = Mode::Emulate;
    bool passed = false;
    bool rounded = false; // with sequence slices: equal within rounding, not bit for bit
    std::string detail;   // result of the comparison, or the failure
};

struct VerifyOptions
{
    bool full = false; // all sizes and scheme options, not only the default ones
    // On GPUs only the integer-exact check runs, at D = 2 and 4 unless `full` is set: emulated on
    // one GPU, live on D GPUs or partitions, and live with NCCL.
    Backend backend = Backend::Cpu;
    std::vector<std::string> schemes; // empty: all schemes
    std::string scheduleFile;         // on the CPU: only the gradients of this file's order; or ""
    LayerLayout layout = {}; // of the model; then only sizes with as many stages, without variants
};

// Runs the checks of bscope verify. The gradients of every scheme must equal those of sequential
// training, bit for bit, in an integer model and in the real model, emulated
// and live. The losses of live training must equal those of emulation. The placement of an emulated
// run must equal a simulation with its measured times. Some schemes are also checked with other
// attention modes, with recomputation, with tied embeddings, and with two data-parallel pipelines,
// whose gradients must equal those of sequential training on twice the micro-batches. Asynchronous
// schemes are compared with sequential training that uses the same weight versions. The times of a
// live and an emulated iteration are compared without a criterion. `report` is called after each
// check. Fails with Error::Code::Cancelled if `cancel` is set between two checks, and with
// Error::Code::NotFound for an unknown scheme.
Result<std::vector<VerifyCheck>> verifyEngine(const VerifyOptions& options,
                                              const std::function<void(const VerifyCheck&)>& report,
                                              const std::atomic<bool>& cancel);

} // namespace engine

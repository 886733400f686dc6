#pragma once

#include "engine/verify/verify_gradients.h"

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace engine {

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
};

// Runs the checks of bscope verify. The gradients of every scheme must equal those of sequential
// training, bit for bit, in an integer model and in the real model (verify_gradients.h), emulated
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

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
    bool rounded = false; // equal within the rounding of sequence slices, not bit for bit
    std::string detail;   // what was compared, or the failure
};

struct VerifyOptions
{
    bool full = false; // all sizes and options instead of one of each
    // On GPUs only the integer-exact check and the placement check run, at D = 2 and 4: emulated on
    // one GPU, live on D GPUs or partitions, and live with NCCL.
    Backend backend = Backend::Cpu;
    std::vector<std::string> schemes; // empty: all schemes
};

// The checks of bscope verify. The gradients of every scheme equal those of sequential training,
// bit for bit, in an integer model and in the real model (verify_gradients.h) and in both modes.
// The losses of live training equal those of emulation. The placement of an emulated run equals a
// simulation with its measured times. Some schemes are also checked with other attention,
// recomputation, tied embeddings, and two data-parallel pipelines; these must equal sequential
// training on twice the micro-batches. Asynchronous schemes are compared with sequential training
// that uses the same weight versions. The time of a live iteration is compared with that of an
// emulated one without a criterion.
// `report` is called after each check. Fails with Error::Code::Cancelled if `cancel` is set between
// two checks, and with Error::Code::NotFound for an unknown scheme.
Result<std::vector<VerifyCheck>> verifyEngine(const VerifyOptions& options,
                                              const std::function<void(const VerifyCheck&)>& report,
                                              const std::atomic<bool>& cancel);

} // namespace engine

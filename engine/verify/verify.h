#pragma once

#include "engine/verify/verify_gradients.h"

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace engine {

// One check on this machine.
struct VerifyCheck
{
    // "integer gradients", "exact gradients", "losses", "placement"; "time": measured without a
    // criterion; "left out": not possible here
    std::string fact;
    std::string scheme; // with options of scheme and model: "1f1b attention=flash"
    int devices = 0, microBatches = 0;
    Mode mode = Mode::Emulate;
    bool passed = false;
    bool rounded = false; // passed within the rounding of sequence slices, not bit for bit
    std::string detail;   // what was compared, or the failure
};

struct VerifyOptions
{
    bool full = false; // every size and option instead of one of each
    // On GPUs only the integer-exact check and the placement, at D = 2 and 4: with one GPU that
    // emulates all devices, live with as many GPUs or partitions, and live with NCCL.
    Backend backend = Backend::Cpu;
    std::vector<std::string> schemes; // only these; none: all
};

// Runs bscope verify. Compares the gradients of every scheme with sequential training bit for
// bit, with the integer model and with the real model (verify_gradients.h), in both modes; the
// losses of live training with those of emulation; and the placement of an emulated run with a
// simulation of its measured times. Some schemes also run with other kinds of attention,
// recomputation, tied embeddings and two data-parallel copies, which are compared with
// sequential training on twice the micro-batches. Asynchronous schemes are compared with
// sequential training by the same weight versions. Also measures the difference between live and
// emulated times. Calls `report` after each check. Cancelled between two checks; NotFound for an
// unknown scheme.
Result<std::vector<VerifyCheck>> verifyEngine(const VerifyOptions& options,
                                              const std::function<void(const VerifyCheck&)>& report,
                                              const std::atomic<bool>& cancel);

} // namespace engine

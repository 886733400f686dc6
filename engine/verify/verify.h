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

// What bscope verify proves: every scheme's gradients are sequential training's, bit for bit, by
// both proofs (verify_gradients.h) and in both modes; the losses of live training are those of
// emulation; the placement of an emulated run is what simulation makes of its measured times. Some
// schemes do so with other attention, recomputation, a tied head and two data-parallel copies,
// which together are sequential training on twice the micro-batches, too; asynchronous ones are
// compared with sequential training by the same weight versions. And how far the times of live
// training are from those of emulation on this machine.
// `report` is called with each finished check. Cancelled between two checks; NotFound for
// a scheme that does not exist.
Result<std::vector<VerifyCheck>> verifyEngine(const VerifyOptions& options,
                                              const std::function<void(const VerifyCheck&)>& report,
                                              const std::atomic<bool>& cancel);

} // namespace engine

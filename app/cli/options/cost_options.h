#pragma once

#include "engine/base/result.h"
#include "engine/cost/cost_model.h"
#include "engine/schedule/passes/passes.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace cli {

// COST of cli.md in abstract units, as it was typed; "" = not given.
struct CostOptions
{
    std::string forward = "1", backward, inputGradient, weightGradient;
    std::string p2p = "0", latency = "0", allReduce = "0", optimizer = "0";
    std::string transfer = "0", recompute, recomputeKeeps;
    std::string p2pAcross, latencyAcross, transferAcross;
    int devicesPerNode = 0;
    std::vector<std::string> stageCosts; // "s=f:b"
    std::string joint = "1", slowDown = "1", jitter = "0";
    std::uint64_t seed = 0;
    bool blocking = false;
};
void addCostOptions(CLI::App& app, CostOptions& options);

// Backward defaults to I + W, I and W to half of backward, backward to 2. InvalidArgument names the
// option.
engine::Result<engine::UnitCosts> unitCosts(const CostOptions& options);
// "free", "0.1 units", "0.1 units, 0.05 latency": what a run says about its messages.
std::string linkText(const CostOptions& options);

void addSyncOption(CLI::App& app, engine::SyncPolicy& policy, const char* group);
void addDataParallelOption(CLI::App& app, int& copies, const char* group);

} // namespace cli

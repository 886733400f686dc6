#pragma once

#include "engine/cost/cost_model.h"
#include "engine/cost/mapping.h"
#include "engine/experiment/experiment.h"
#include "engine/model/pipeline_model.h"

namespace engine {

// The assumed links of an emulated run.
struct EmulatedLinks
{
    LinkCost inNode, acrossNodes, toHost = {};
    Mapping mapping = {};
    bool usesHost = false; // stashes are evicted to host memory

    const LinkCost& of(LinkTier tier) const
    {
        return tier == LinkTier::ToHost     ? toHost
            : tier == LinkTier::AcrossNodes ? acrossNodes
                                            : inNode;
    }
};
// Fails if the mapping does not fit the schedule.
Result<EmulatedLinks> emulatedLinks(const Experiment& experiment, const Schedule& lowered);
std::string describeLinks(const EmulatedLinks& links); // "50 GB/s, 5 µs (assumed)", "free"

// The input of estimatedCosts().
struct EmulationCosts
{
    const Schedule& lowered;
    // The model whose FLOPs and sizes determine the costs. One of its passes processes one unit of
    // work: a micro-batch, a slice or half a micro-batch (UnitRange, stash_plan.h).
    const PipelineModel<float>& model;
    EmulatedLinks links = {};
};
// In ns, for placing an emulated run. Transfers and all-reduces follow the link model, compute ops
// their FLOPs until they are measured.
OpCosts estimatedCosts(const EmulationCosts& input);

// ns of a ring all-reduce over n devices: 2 (n - 1) (latency + bytes / (n bandwidth)).
std::int64_t ringAllReduce(const LinkCost& link, int devices, Bytes bytes);

} // namespace engine

#pragma once

#include "profiler/analysis/data_flow.h"
#include "profiler/analysis/explain.h"
#include "profiler/analysis/lanes.h"

#include <optional>
#include <vector>

namespace profiler {

// Implements explain.h for one iteration. The constructor traverses schedule and spans once. The
// run must outlive the Explainer.
class Explainer
{
public:
    Explainer(const engine::Run& run, int iteration);

    std::vector<Bubble> bubbles() const;
    std::optional<OpExplanation> explain(std::uint32_t op) const;
    std::vector<CauseLink> flow(engine::MicroBatchId microBatch) const;
    // The critical path in time order: the chain of ops and transfers that ends with the last op of
    // the iteration. Each of them started when the previous one ended, or after idle time.
    std::vector<CauseLink> criticalPath() const;
    // The chain of causes of a bubble in time order, from an op without a cause to the op that ends
    // the bubble. For a drain: the steps of the critical path that end after the drain starts.
    std::vector<CauseLink> causes(const Bubble& bubble) const;

private:
    // An input of an op: its producer, its transfer and its arrival time.
    struct Need
    {
        std::uint32_t producer = 0;
        std::optional<CauseLink> transfer;
        std::int64_t arrival = 0;
    };

    bool ran(std::uint32_t op) const { return m_window[op].end >= m_window[op].begin; }
    CauseLink link(std::uint32_t op) const { return {op, m_flow.deviceOf(op), m_window[op]}; }
    CauseLink transferLink(std::uint32_t receive) const;
    std::optional<Need> needFor(const engine::Value& value, std::uint32_t consumer) const;
    std::optional<Need> needOfTransfer(std::uint32_t op) const;
    // The last backward whose gradient the all-reduce of the stage sums.
    std::optional<std::uint32_t> lastContributor(engine::StageId stage, std::uint32_t reduce) const;
    std::vector<Need> needsOf(std::uint32_t op) const; // latest arrival first
    std::vector<CauseLink> neededBy(std::uint32_t op) const;
    // The previous op in the same compute lane.
    std::optional<std::uint32_t> before(std::uint32_t op) const;
    std::optional<std::uint32_t> lastOp() const;
    std::vector<CauseLink> pathTo(std::uint32_t op) const;
    std::vector<CauseLink> chainTo(std::uint32_t op) const;

    const engine::Run& m_run;
    Lanes m_lanes;
    bool m_hasNextWindow; // whether the run is a stream and another window follows
    DataFlow m_flow;
    // The window of each op, by OpIndex. If the op did not run in this iteration, its window ends
    // before it begins.
    std::vector<engine::Window> m_window;
};

} // namespace profiler

#pragma once

#include "engine/timeline/run.h"
#include "profiler/analysis/data_flow.h"
#include "profiler/analysis/lanes.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace profiler {

// One step in the chain of causes of an op's start or of a bubble.
struct CauseLink
{
    std::uint32_t op = 0; // OpIndex of the producer, transfer or consumer
    engine::DeviceId device;
    engine::Window window;
};

// An interval in which a device neither computes nor communicates.
struct Bubble
{
    enum class Kind : std::uint8_t { Fill, Wait, Drain };

    engine::DeviceId device;
    engine::Window window;
    Kind kind = Kind::Wait;
    std::optional<std::uint32_t> next; // op that ends the bubble; nullopt for Drain
    // The chain of causes: the producer, its transfer (if any), and the op that ends the bubble.
    // For a Drain: only the last op of the iteration; empty if untilNextWindow is true.
    std::vector<CauseLink> chain;
    // True for a Drain of a stream (Shape::windows) after which the next window begins.
    bool untilNextWindow = false;
    // The op that runs at that time and has no kernel then, in an imported run.
    std::optional<std::uint32_t> within = {};
};

// A part of a longer chain of causes: consecutive ops of one device, or one transfer.
struct CauseStep
{
    CauseLink first, last;
    int ops = 1;
    std::int64_t busy = 0; // sum of the durations of the ops
    std::int64_t idle = 0; // time between the previous step and this one
};
std::vector<CauseStep> causeSteps(const engine::Run& run, const std::vector<CauseLink>& chain);

// The causes and consumers of one execution of an op.
struct OpExplanation
{
    std::uint32_t op = 0;
    engine::DeviceId device;
    engine::Window window;
    // The time until the start of the op. For a compute op it is measured from the end of the
    // device's previous compute op (or from the start of the iteration), for a transfer or an
    // all-reduce from the arrival of its last input.
    std::int64_t waited = 0;
    // For each input of the op: the transfer of the input (if it was sent), then the op that
    // produced it. The input that arrived last comes first.
    std::vector<CauseLink> needs;
    // For each consumer of the op's results: the transfer to it (if any), then the consumer.
    std::vector<CauseLink> neededBy;
};
// Explains one iteration (index into Timeline::iterations). The constructor traverses schedule and
// spans once. The run must outlive the Explainer.
class Explainer
{
public:
    Explainer(const engine::Run& run, int iteration);

    std::vector<Bubble> bubbles() const; // sorted by device, then by time
    std::optional<OpExplanation> explain(std::uint32_t op) const;
    // The compute ops of one micro-batch (F and B of every stage), in time order.
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

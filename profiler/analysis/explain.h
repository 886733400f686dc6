#pragma once

#include "engine/timeline/run.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace profiler {

// These functions traverse the whole iteration; for repeated calls use an Explainer
// (explainer.h).

// One link of the chain of causes of an op's start or of a bubble's length.
struct CauseLink
{
    std::uint32_t op = 0; // OpIndex: producer, transfer or consumer
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
    std::optional<std::uint32_t> next; // the op that ends it; none for drain
    // producer, its transfer if any, the op that ends the bubble; empty for drain
    std::vector<CauseLink> chain;
};

// All bubbles of one iteration (index into Timeline::iterations), by device, then time.
std::vector<Bubble> bubbles(const engine::Run& run, int iteration);

// Transfers, all-reduces, evicts and loads during which the device does not compute, sorted by
// begin; drawn in the compute lane.
std::vector<engine::Window> exposedCommunication(const engine::Run& run, int iteration,
                                                 engine::DeviceId device);

// The causes and consumers of one execution of an op.
struct OpExplanation
{
    std::uint32_t op = 0;
    engine::DeviceId device;
    engine::Window window;
    // Time for which compute was free before the op started; for a transfer or all-reduce, the
    // time for which it was ready.
    std::int64_t waited = 0;
    // Its inputs, latest arrival first: the transfer, if any, then the producer.
    std::vector<CauseLink> needs;
    std::vector<CauseLink> neededBy; // the transfer, if any, then the consumer
};
std::optional<OpExplanation> explain(const engine::Run& run, int iteration, std::uint32_t op);

// The path of one micro-batch through an iteration, F and B of every stage, in time order (compute
// ops).
std::vector<CauseLink> flow(const engine::Run& run, int iteration, engine::MicroBatchId microBatch);

} // namespace profiler

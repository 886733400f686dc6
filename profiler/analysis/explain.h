#pragma once

#include "engine/timeline/run.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace profiler {

// The functions below read the whole iteration on each call; who asks often keeps an Explainer
// (explainer.h) and asks that.

// One hop of the chain that made an op start when it did, or a bubble last as long as it did.
struct CauseLink
{
    std::uint32_t op = 0; // OpIndex: producer, transfer or consumer
    engine::DeviceId device;
    engine::Window window;
};

// A stretch of a device's compute lane in which nothing computes and no transfer is under way.
struct Bubble
{
    enum class Kind : std::uint8_t { Fill, Wait, Drain };

    engine::DeviceId device;
    engine::Window window;
    Kind kind = Kind::Wait;
    std::optional<std::uint32_t> next; // the op that ends it; none in the drain
    std::vector<CauseLink>
        chain; // producer, its transfer if any, the op that ends the bubble; empty in the drain
};

// All bubbles of one iteration (index into Timeline::iterations), by device, then time.
std::vector<Bubble> bubbles(const engine::Run& run, int iteration);

// Transfers, all-reduces, evicts and loads under way while the device computes nothing: drawn as
// boxes of their own in the compute lane. By begin.
std::vector<engine::Window> exposedCommunication(const engine::Run& run, int iteration,
                                                 engine::DeviceId device);

// What one execution of an op needed and who needed it.
struct OpExplanation
{
    std::uint32_t op = 0;
    engine::DeviceId device;
    engine::Window window;
    // Compute lane free before it started; of a transfer or all-reduce: ready before it started.
    std::int64_t waited = 0;
    // What it consumed, latest arrival first: the transfer that brought it, if any, then its maker.
    std::vector<CauseLink> needs;
    std::vector<CauseLink> neededBy; // the transfer, if any, then the consumer
};
std::optional<OpExplanation> explain(const engine::Run& run, int iteration, std::uint32_t op);

// The path of one micro-batch through an iteration, F and B of every stage, in time order (compute
// ops).
std::vector<CauseLink> flow(const engine::Run& run, int iteration, engine::MicroBatchId microBatch);

} // namespace profiler

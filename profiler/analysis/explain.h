#pragma once

#include "engine/timeline/run.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace profiler {

// The functions of this header traverse the whole iteration. For repeated calls use an Explainer
// (explainer.h).

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

// All bubbles of one iteration (index into Timeline::iterations), sorted by device, then by time.
std::vector<Bubble> bubbles(const engine::Run& run, int iteration);

// The windows in which a transfer, all-reduce, evict or load of the device runs and the device does
// not compute, sorted by start. The timeline draws them in the compute lane.
std::vector<engine::Window> exposedCommunication(const engine::Run& run, int iteration,
                                                 engine::DeviceId device);

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
std::optional<OpExplanation> explain(const engine::Run& run, int iteration, std::uint32_t op);

// The compute ops of one micro-batch in an iteration (F and B of every stage), in time order.
std::vector<CauseLink> flow(const engine::Run& run, int iteration, engine::MicroBatchId microBatch);

} // namespace profiler

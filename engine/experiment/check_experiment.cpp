#include "engine/experiment/check_experiment.h"

#include <fmt/format.h>

namespace engine {

Result<void> checkExperiment(const Experiment& experiment)
{
    constexpr int kMostIterations = 1'000'000;
    const auto invalid = [](std::string message) {
        return fail(Error::Code::InvalidArgument, std::move(message));
    };
    if (experiment.iterations < 1 || experiment.iterations > kMostIterations)
        return invalid(fmt::format("--iterations must be from 1 to {}", kMostIterations));
    if (experiment.warmup < 0 || experiment.warmup > kMostIterations)
        return invalid(fmt::format("--warmup must be from 0 to {}", kMostIterations));
    if (experiment.schedule.dataParallel < 1)
        return invalid("--data-parallel must be at least 1");
    if (!(experiment.link.bytesPerSecond >= 0) || experiment.link.latency < Nanoseconds(0))
        return invalid("the link's latency and bandwidth cannot be negative");
    if (experiment.backend == Backend::Cpu && experiment.transport != Carrier::Auto)
        return invalid("--transport is for GPUs: add --backend cuda, or leave it out");
    if (experiment.mode == Mode::Emulate && experiment.transport == Carrier::Nccl)
        return invalid("--transport nccl is for live runs: add --mode live, or leave it out");
    if (experiment.backend == Backend::Cpu && experiment.graphs == Graphs::On)
        return invalid("--graphs on is for GPUs: add --backend cuda, or leave it out");
    if (experiment.mode == Mode::Emulate || experiment.mode == Mode::Live)
        return {};
    return invalid(fmt::format("a run cannot be of mode '{}': use --mode emulate or live",
                               modeName(experiment.mode)));
}

} // namespace engine

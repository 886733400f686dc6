#include "engine/experiment/check_experiment.h"

#include "engine/experiment/experiment_fields.h"

#include <fmt/format.h>

namespace engine {

Result<void> checkExperiment(const Experiment& experiment)
{
    const auto invalid = [](std::string message) {
        return fail(Error::Code::InvalidArgument, std::move(message));
    };
    for (const Field<Experiment>& each : experimentFields())
        if (auto good = each.check(each.get(experiment)); !good)
            return good;
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

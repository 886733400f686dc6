#include "engine/experiment/check_experiment.h"

#include "engine/base/try.h"
#include "engine/experiment/experiment_fields.h"

#include <fmt/format.h>

namespace engine {

Result<void> checkExperiment(const Experiment& experiment)
{
    const auto invalid = [](std::string message) {
        return fail(Error::Code::InvalidArgument, std::move(message));
    };
    for (const Field<Experiment>& each : experimentFields())
        TRY(each.check(each.get(experiment)));
    if (experiment.backend == Backend::Cpu && experiment.transport != TransportChoice::Auto)
        return invalid("--transport needs GPUs: add --backend cuda, or remove --transport");
    if (experiment.mode == Mode::Emulate && experiment.transport == TransportChoice::Nccl)
        return invalid("--transport nccl needs a live run: add --mode live, or remove --transport");
    if (experiment.backend == Backend::Cpu && experiment.graphs == Graphs::On)
        return invalid("--graphs on needs GPUs: add --backend cuda, or remove --graphs");
    if (experiment.mode == Mode::Emulate || experiment.mode == Mode::Live)
        return {};
    return invalid(fmt::format("mode '{}' cannot be run: use --mode emulate or live",
                               modeName(experiment.mode)));
}

} // namespace engine

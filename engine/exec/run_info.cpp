#include "engine/exec/run_info.h"

#include "engine/base/process.h"
#include "engine/base/version.h"
#include "engine/exec/op_costs.h"
#include "engine/experiment/run_command.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace engine {
namespace {

std::string now()
{
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

std::string labelOf(const Experiment& experiment)
{
    if (!experiment.scheduleFile.empty())
        return experiment.scheduleFile.substr(experiment.scheduleFile.find_last_of('/') + 1);
    const Scheme* scheme = findScheme(experiment.schedule.scheme);
    if (scheme == nullptr)
        return experiment.schedule.scheme;
    // "1F1B", without aliases
    return std::string(scheme->title.substr(0, scheme->title.find(" (")));
}

std::string linkOf(const std::string& transport)
{
    return transport == "nccl" ? "NCCL"
        : transport == "peer"  ? "copies between GPUs"
                               : "memory copies";
}

// Returns the fraction of forwards that are recomputed.
double recomputedShare(const Schedule& schedule)
{
    double forwards = 0, recomputes = 0;
    for (const auto& program : schedule.program)
        for (const Op& op : program) {
            forwards += op.kind == OpKind::Forward ? 1 : 0;
            recomputes += op.kind == OpKind::Recompute ? 1 : 0;
        }
    return forwards > 0 ? recomputes / forwards : 0;
}

} // namespace

RunInfo runInfo(const RunInfoInput& input)
{
    const Experiment& experiment = input.experiment;
    const ModelSpec& model = experiment.model;
    const Shape& shape = input.lowered.shape;
    const int microBatches = shape.microBatches * shape.dataParallel; // of all data-parallel copies
    RunInfo info;
    info.scheme = experiment.scheduleFile.empty() ? experiment.schedule.scheme : "file";
    info.label = labelOf(experiment);
    info.experiment = toToml(experiment);
    info.command = commandOf(experiment);
    if (experiment.nvtxGrammar != NvtxGrammar::Bubblescope)
        info.nvtxGrammar = nvtxGrammarName(experiment.nvtxGrammar);
    info.started = now();
    info.program = buildId();
    info.mode = experiment.mode;
    info.hostName = hostName();
    info.deviceName = input.device.name;
    const bool live = experiment.mode == Mode::Live;
    const bool cuda = experiment.backend == Backend::Cuda;
    info.timing = live && cuda ? "wall clock by CUDA events"
        : live                 ? "wall clock"
        : cuda                 ? "CUDA events"
                               : "thread CPU clock";
    info.transport = input.transport;
    const auto links = emulatedLinks(experiment, input.lowered);
    info.link = live || !links ? linkOf(input.transport) : describeLinks(*links);
    info.model = model.name;
    info.precision = nameIn(kPrecisionNames, model.precision);
    info.tokensPerIteration = std::int64_t{microBatches} * model.microBatchSize * model.sequence;
    info.flopsPerIteration = flopsPerIteration(model, microBatches);
    info.executedFlops
        = executedFlopsPerIteration(model, microBatches, recomputedShare(input.lowered));
    // In a stream, the windows in which the pipeline fills and drains are not measured; they are
    // treated as warm-up.
    info.plannedWarmup
        = shape.windows > 1 ? shape.windows - experiment.iterations : experiment.warmup;
    info.plannedIterations = experiment.iterations;
    // These reference values hold for a model that sees only earlier tokens. BERT also sees later
    // ones.
    if (model.family != Family::Bert) {
        info.unigramEntropy = input.data.unigramEntropy();
        info.entropyRate = input.data.entropyRate();
    }
    return info;
}

} // namespace engine

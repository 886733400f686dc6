#include "engine/experiment/run_command.h"

#include <fmt/format.h>

namespace engine {
namespace {

std::string quoted(const std::string& word)
{
    if (!word.empty()
        && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "_-+=./,:@")
            == std::string::npos)
        return word;
    std::string text = "'";
    for (const char c : word)
        text += c == '\'' ? "'\\''" : std::string(1, c);
    return text + "'";
}

std::string scheduleArguments(const Experiment& experiment)
{
    const ScheduleRequest& request = experiment.schedule;
    const std::string copies
        = request.dataParallel > 1 ? fmt::format(" --data-parallel {}", request.dataParallel) : "";
    if (!experiment.scheduleFile.empty())
        return " --schedule " + quoted(experiment.scheduleFile) + copies;
    std::string text = fmt::format(" --scheme {} --devices {} --micro-batches {}",
                                   quoted(request.scheme), request.devices, request.microBatches);
    if (request.chunks != 0)
        text += fmt::format(" --chunks {}", request.chunks);
    for (const auto& [key, value] : request.options)
        text += fmt::format(" --set {}", quoted(fmt::format("{}={}", key, value)));
    return text + copies;
}

// The preset and the fields that differ from it.
std::string modelArguments(const ModelSpec& model)
{
    std::string text = " --model " + quoted(model.name);
    const ModelSpec preset = loadModel(model.name).value_or(ModelSpec());
    const auto add = [&](const char* option, int ModelSpec::*field) {
        if (model.*field != preset.*field)
            text += fmt::format(" --{} {}", option, model.*field);
    };
    add("micro-batch-size", &ModelSpec::microBatchSize);
    add("sequence", &ModelSpec::sequence);
    add("layers", &ModelSpec::layers);
    add("width", &ModelSpec::width);
    add("heads", &ModelSpec::heads);
    if (model.attention != preset.attention)
        text += fmt::format(" --attention {}", nameIn(kAttentionNames, model.attention));
    if (model.recompute != preset.recompute)
        text += fmt::format(" --recompute {}", nameIn(kRecomputeNames, model.recompute));
    if (model.precision != preset.precision)
        text += fmt::format(" --precision {}", nameIn(kPrecisionNames, model.precision));
    return text;
}

} // namespace

std::string commandOf(const Experiment& experiment)
{
    const Experiment defaults;
    std::string text
        = "bscope run" + scheduleArguments(experiment) + modelArguments(experiment.model);
    // The machine decides the default.
    const bool onGpus = experiment.backend == Backend::Cuda;
    if (experiment.mode != defaults.mode || onGpus)
        text += fmt::format(" --mode {}", modeName(experiment.mode));
    if (experiment.backend != defaults.backend)
        text += fmt::format(" --backend {}", backendName(experiment.backend));
    if (experiment.transport != defaults.transport)
        text += fmt::format(" --transport {}", carrierName(experiment.transport));
    if (experiment.graphs != defaults.graphs)
        text += fmt::format(" --graphs {}", graphsName(experiment.graphs));
    if (experiment.iterations != defaults.iterations)
        text += fmt::format(" --iterations {}", experiment.iterations);
    if (experiment.warmup != defaults.warmup)
        text += fmt::format(" --warmup {}", experiment.warmup);
    if (experiment.seed != defaults.seed)
        text += fmt::format(" --seed {}", experiment.seed);
    if (experiment.accumulate == Accumulate::Exact)
        text += " --accumulate exact";
    if (experiment.sync != defaults.sync)
        text += fmt::format(" --sync {}", syncName(experiment.sync));
    if (experiment.link.bytesPerSecond > 0)
        text += fmt::format(" --link-bandwidth {}", experiment.link.bytesPerSecond / 1e9);
    if (experiment.link.latency.count() > 0)
        text += fmt::format(" --link-latency {}",
                            static_cast<double>(experiment.link.latency.count()) / 1e3);
    if (experiment.deviceMemory > 0)
        text += fmt::format(" --device-memory {}", experiment.deviceMemory);
    if (!experiment.textFile.empty())
        text += " --text " + quoted(experiment.textFile);
    return text;
}

std::string describeLink(const LinkCost& link)
{
    if (link.bytesPerSecond <= 0 && link.latency.count() == 0)
        return "free";
    const std::string bandwidth = link.bytesPerSecond > 0
        ? fmt::format("{:.4g} GB/s", link.bytesPerSecond / 1e9)
        : "unlimited bandwidth";
    return fmt::format("{}, {:.4g} us (assumed)", bandwidth,
                       static_cast<double>(link.latency.count()) / 1e3);
}

} // namespace engine

#include "app/cli/commands/command.h"
#include "app/cli/commands/record.h"
#include "app/cli/options/choice.h"
#include "app/cli/options/cost_options.h"
#include "app/cli/options/schedule_options.h"
#include "engine/pipeline/run_devices.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

namespace cli {

using namespace engine;

namespace {
// What was typed; 0 and "" = not given.
struct Options
{
    ScheduleOptions schedule;
    std::string model = "tiny";
    int layers = 0, width = 0, heads = 0, microBatchSize = 0, sequence = 0;
    std::optional<AttentionKind> attention;
    std::optional<Recompute> recompute;
    std::optional<Precision> precision;
    double bandwidth = 0, latency = 0; // GB/s, us
    std::uint64_t deviceMemory = 0;    // bytes
    std::optional<Mode> mode;
    int dataParallel = 1;
    Experiment experiment;
    RecordOptions record;
};

Result<ModelSpec> modelOf(const Options& options)
{
    auto model = loadModel(options.model);
    if (!model)
        return model;
    const auto take = [&](int given, int ModelSpec::*field) {
        if (given > 0)
            (*model).*field = given;
    };
    take(options.layers, &ModelSpec::layers);
    take(options.width, &ModelSpec::width);
    take(options.heads, &ModelSpec::heads);
    take(options.microBatchSize, &ModelSpec::microBatchSize);
    take(options.sequence, &ModelSpec::sequence);
    model->attention = options.attention.value_or(model->attention);
    model->recompute = options.recompute.value_or(model->recompute);
    model->precision = options.precision.value_or(model->precision);
    return model;
}

Result<Experiment> experimentOf(const Options& options)
{
    const auto asked = requests(options.schedule);
    if (!asked)
        return tl::unexpected(asked.error());
    auto model = modelOf(options);
    if (!model)
        return wrongUsage(model.error());
    Experiment experiment = options.experiment;
    experiment.schedule = asked->front();
    experiment.schedule.dataParallel = options.dataParallel;
    experiment.scheduleFile = options.schedule.file;
    experiment.model = std::move(*model);
    constexpr auto kMost = std::numeric_limits<Bytes>::max();
    experiment.deviceMemory
        = static_cast<Bytes>(std::min(options.deviceMemory, static_cast<std::uint64_t>(kMost)));
    experiment.mode = options.mode ? *options.mode : defaultMode(experiment);
    experiment.link.bytesPerSecond = options.bandwidth * 1e9;
    experiment.link.latency = Nanoseconds(std::llround(options.latency * 1e3));
    return experiment;
}

void addTrainingOptions(CLI::App& app, Options& options)
{
    constexpr const char* kGroup = "Training";
    Experiment& experiment = options.experiment;
    app.add_option("--iterations", experiment.iterations, "Measured iterations [5]")
        ->type_name("K")
        ->check(between(1, 1000000))
        ->group(kGroup);
    app.add_option("--warmup", experiment.warmup, "Iterations before, which only train [2]")
        ->type_name("K")
        ->check(between(0, 1000000))
        ->group(kGroup);
    app.add_option("--seed", experiment.seed, "Decides weights and samples [1]")
        ->type_name("S")
        ->check(seedNumber())
        ->group(kGroup);
    app.add_option("--accumulate", experiment.accumulate,
                   "Sums of gradients: float, or exact (bit for bit the same in "
                   "any order) [float]")
        ->type_name("float|exact")
        ->transform(
            choice<Accumulate>({{"float", Accumulate::Float}, {"exact", Accumulate::Exact}}))
        ->group(kGroup);
    app.add_option("--text", experiment.textFile,
                   "Train on the bytes of this file, or on a short story [a small built-in "
                   "language]")
        ->type_name("FILE|sample")
        ->group(kGroup);
}

void addModelOptions(CLI::App& app, Options& options)
{
    constexpr const char* kGroup = "Model";
    app.add_option("--model", options.model, "A preset or a file [tiny]")
        ->type_name("NAME|FILE.toml")
        ->group(kGroup);
    const auto add = [&app](const char* name, int& value, const char* help) {
        app.add_option(name, value, help)
            ->type_name("K")
            ->check(between(1, 1 << 20))
            ->group(kGroup);
    };
    add("--layers", options.layers, "Transformer blocks [the model's]");
    add("--width", options.width, "Width of the residual stream [the model's]");
    add("--heads", options.heads, "Attention heads [the model's]");
    add("--micro-batch-size", options.microBatchSize, "Sequences in a micro-batch [the model's]");
    add("--sequence", options.sequence, "Tokens in a sequence [the model's]");
    app.add_option("--attention", options.attention,
                   "standard keeps the scores, recompute makes them again in the backward, flash "
                   "never has them all [the model's]")
        ->type_name("standard|recompute|flash")
        ->transform(choice<AttentionKind>({{"standard", AttentionKind::Standard},
                                           {"recompute", AttentionKind::Recompute},
                                           {"flash", AttentionKind::Flash}}))
        ->group(kGroup);
    app.add_option("--recompute", options.recompute, "What the backward makes again [the model's]")
        ->type_name("none|attention|full")
        ->transform(choice<Recompute>({{"none", Recompute::None},
                                       {"attention", Recompute::Attention},
                                       {"full", Recompute::Full}}))
        ->group(kGroup);
    app.add_option("--precision", options.precision,
                   "fp32; bf16, mixed: weights, activations and messages in bf16, gradients and "
                   "the optimizer in fp32; tf32, on GPUs: fp32 with products of rounded operands "
                   "[the model's]")
        ->type_name("fp32|bf16|tf32")
        ->transform(choice<Precision>(
            {{"fp32", Precision::Fp32}, {"bf16", Precision::Bf16}, {"tf32", Precision::Tf32}}))
        ->group(kGroup);
}

void addMachineOptions(CLI::App& app, Options& options)
{
    constexpr const char* kGroup = "Machine";
    app.add_option("--mode", options.mode,
                   "emulate: every op runs alone and is placed on D devices; live: D threads, GPUs "
                   "or equal parts of one GPU run at the same time [live with CUDA and D GPUs, "
                   "else emulate]")
        ->type_name("emulate|live")
        ->transform(choice<Mode>({{"emulate", Mode::Emulate}, {"live", Mode::Live}}))
        ->group(kGroup);
    app.add_option("--backend", options.experiment.backend,
                   "What ops run on: the CPU, or GPUs [auto: the CPU]")
        ->type_name("auto|cpu|cuda")
        ->transform(choice<Backend>(
            {{"auto", Backend::Cpu}, {"cpu", Backend::Cpu}, {"cuda", Backend::Cuda}}))
        ->group(kGroup);
    app.add_option(
           "--transport", options.experiment.transport,
           "Live on GPUs, where devices are and what carries their messages: local, parts of "
           "the first GPU and copies within it; peer, a GPU each and copies between them; "
           "nccl, a GPU each, NCCL's messages and sums, which add floats in an order of its own; "
           "auto, as many GPUs as there are and copies [auto]")
        ->type_name("auto|local|peer|nccl")
        ->transform(choice<Carrier>({{"auto", Carrier::Auto},
                                     {"local", Carrier::Local},
                                     {"peer", Carrier::Peer},
                                     {"nccl", Carrier::Nccl}}))
        ->group(kGroup);
    app.add_option(
           "--graphs", options.experiment.graphs,
           "On GPUs, ops as CUDA graphs, one launch each: auto, those that the host launches "
           "hardly faster than they run [auto]")
        ->type_name("auto|off|on")
        ->transform(
            choice<Graphs>({{"auto", Graphs::Auto}, {"off", Graphs::Off}, {"on", Graphs::On}}))
        ->group(kGroup);
    app.add_option("--device-memory", options.deviceMemory,
                   "What one device may hold: what needs more is refused, with what would fit "
                   "[no limit but the machine's]")
        ->type_name("BYTES|16GiB")
        ->transform(CLI::AsSizeValue(true))
        ->group(kGroup);
    app.add_option("--link-bandwidth", options.bandwidth,
                   "Assumed link between devices, GB/s [0: messages are free]")
        ->type_name("GB/S")
        ->check(between(0.0, 1e6))
        ->group(kGroup);
    app.add_option("--link-latency", options.latency,
                   "... and how much later a message arrives, us [0]")
        ->type_name("US")
        ->check(between(0.0, 1e9))
        ->group(kGroup);
    addSyncOption(app, options.experiment.sync, kGroup);
}
} // namespace

Action prepareRun(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    addScheduleOptions(app, options->schedule);
    addDataParallelOption(app, options->dataParallel, "Schedule");
    addModelOptions(app, *options);
    addTrainingOptions(app, *options);
    addMachineOptions(app, *options);
    addRecordOptions(app, options->record);
    return [options]() -> Result<int> {
        const auto experiment = experimentOf(*options);
        if (!experiment)
            return tl::unexpected(experiment.error());
        return record(*experiment, options->record);
    };
}

} // namespace cli

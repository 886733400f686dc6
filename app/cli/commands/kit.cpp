#include "app/cli/commands/command.h"
#include "app/cli/options/options.h"
#include "app/cli/text/output.h"
#include "engine/base/text.h"
#include "engine/base/try.h"
#include "engine/experiment/check_experiment.h"
#include "engine/experiment/experiment_fields.h"
#include "engine/kit/training_kit.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace cli {

using namespace engine;

namespace {
struct KitOptions
{
    std::string run; // file of a run; "": `experiment` is used
    Experiment experiment;
    int gpusPerNode = 8;
    Launcher launcher = Launcher::Torchrun;
    LaunchPlace place;
    OutputOptions output;
};

// The options of `bscope run` that do not belong in a kit, because they only affect how this
// machine runs and records an experiment.
constexpr std::string_view kOfThisMachine
    = "--mode --backend --transport --graphs --device-memory --reserve --trace "
      "--nvtx-grammar --link-bandwidth --link-latency --accumulate --mapping "
      "--devices-per-node --link-bandwidth-across --link-latency-across --host-bandwidth "
      "--host-latency --receive";

bool isOfThisMachine(std::string_view flag)
{
    return std::ranges::count(flags(kOfThisMachine), flag) > 0;
}

// Makes the kit of the experiment that the run stores or, if no run is given, of the one that the
// options describe.
Result<TrainingKit> kitOf(const CLI::App& app, const KitOptions& options)
{
    if (options.run.empty()) {
        TRY(checkExperiment(options.experiment));
        return trainingKit(options.experiment, options.gpusPerNode);
    }
    for (const Field<Experiment>& each : experimentFields())
        if (!each.flag.empty() && !isOfThisMachine(each.flag) && app.count(each.longFlag()) > 0)
            return invalid("{} is given by {}; leave out one of them", each.longFlag(),
                           options.run);
    const auto run = TRY(openRun(options.run));
    if (run.info.experiment.empty())
        return fail(Error::Code::Unsupported,
                    "{} was {}, so it has no model to train: give --scheme and --model "
                    "instead",
                    options.run, modeAdjective(run.info.mode));
    const auto experiment = experimentFromToml(run.info.experiment);
    if (!experiment)
        return fail(Error::Code::Corrupt, options.run + ": " + experiment.error().message);
    return trainingKit(*experiment, options.gpusPerNode, recordedFiles(*experiment, run));
}

std::string summary(const TrainingKit& kit, const std::string& target, const std::string& command)
{
    const auto archived = folderInArchive(target);
    const std::string folder = archived.value_or(target);
    const std::string unpack = !archived ? ""
        : target.ends_with(".zip")       ? fmt::format("unzip {} && ", shellQuoted(target))
                                         : fmt::format("tar xzf {} && ", shellQuoted(target));
    std::string text;
    for (const KitFile& file : kit.files)
        text += fmt::format("{:<18} {:>9} bytes\n", file.name, file.text.size());
    text += fmt::format("ranks              {} on {} node{}, {} per node\n", kit.ranks, kit.nodes,
                        kit.nodes == 1 ? "" : "s", kit.ranksPerNode);
    text += kit.torchObstacle.empty()
        ? "runtime            PyTorch's\n"
        : fmt::format("runtime            the kit's, because PyTorch's cannot execute {}\n",
                      kit.torchObstacle);
    if (kit.drains)
        text += fmt::format("iterations         the pipeline drains after each, as with bscope run "
                            "--schedule {}\n",
                            shellQuoted(folder + "/schedule.csv"));
    text += fmt::format("layers per stage   {}\n", kit.layout);
    text += fmt::format("start              {}cd {} && {}\n", unpack, shellQuoted(folder), command);
    return text
        + fmt::format("import results     bscope import {}\n", shellQuoted(folder + "/results"));
}

Result<int> makeKit(const CLI::App& app, const KitOptions& options)
{
    const auto kit = TRY(kitOf(app, options));
    LaunchPlace place = options.place;
    if (place.firstNode.empty() && kit.nodes > 1)
        place.firstNode = "node-1"; // an example
    const auto command = TRY(launchCommand(kit, options.launcher, place));
    TRY(checkIsNoText(options.output.file));
    const IfExists ifExists = options.output.force ? IfExists::Replace : IfExists::Refuse;
    TRY(writeKit(kit, options.output.file, ifExists));
    printText(summary(kit, options.output.file,
                      command + (options.launcher == Launcher::Slurm ? "" : "  (on every node)")));
    return 0;
}
} // namespace

Action prepareKit(CLI::App& app)
{
    const auto options = std::make_shared<KitOptions>();
    app.add_option("RUN.sqlite", options->run,
                   "Run to train again (default: the set-up given by the options)");
    addFieldOptions(app, experimentFields(), options->experiment, isOfThisMachine);
    addOption(app, "--gpus-per-node K", options->gpusPerNode, "Ranks on each node (default: 8)")
        ->check(between(1, 1024));
    addOption(app, "--launcher NAME", options->launcher,
              "Program that starts the ranks, for the printed command: {torchrun,slurm,"
              "torchtitan} (default: torchrun)")
        ->transform(choice<Launcher>({{"torchrun", Launcher::Torchrun},
                                      {"slurm", Launcher::Slurm},
                                      {"torchtitan", Launcher::Torchtitan}}));
    addOption(app, "--first-node HOST", options->place.firstNode,
              "Host name or address of the first node, for the printed command");
    addOption(app, "--port PORT", options->place.port,
              "Port on the first of several nodes (default: 29500)")
        ->check(between(1, 65535));
    addOutputOptions(app, options->output, "Folder to write, or archive: .zip, .tar.gz", "FOLDER");
    app.get_option("--output")->required();
    return [options, &app] { return makeKit(app, *options); };
}

} // namespace cli

#include "engine/kit/training_kit.h"

#include "engine/base/text.h"
#include "engine/base/try.h"
#include "engine/base/version.h"
#include "engine/experiment/experiment_fields.h"
#include "engine/experiment/experiment_schedule.h"
#include "engine/model/model_toml.h"
#include "engine/model/text_data.h"
#include "engine/plan/token_batches.h"
#include "engine/schedule/check/validate.h"
#include "engine/schedule/check/weight_versions.h"
#include "engine/schedule/formats/schedule_file.h"
#include "engine/schedule/notation.h"
#include "resources/resources.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace engine {
namespace {

// Files that only some kits have.
constexpr const char *kTorchFile = "torch.csv", *kTitanFile = "titan.toml", *kTextFile = "text.txt";

using Replacements = std::vector<std::pair<std::string_view, std::string>>;

std::string filledIn(std::string_view name, const Replacements& replacements)
{
    std::string text(resources::find(fmt::format("kit/{}", name)));
    for (const auto& [key, value] : replacements) {
        const std::string mark = fmt::format("@{}@", key);
        for (auto at = text.find(mark); at != std::string::npos;
             at = text.find(mark, at + value.size()))
            text.replace(at, mark.size(), value);
    }
    return text;
}

// Removes transfers, all-reduces and optimizer steps, because PyTorch adds its own.
Schedule withoutAdded(Schedule schedule)
{
    return keepOps(std::move(schedule),
                   [](OpKind kind) { return !isTransfer(kind) && hasMicroBatch(kind); });
}

Result<void> checkValid(const Schedule& schedule)
{
    const auto violations = validate(schedule);
    if (violations.empty())
        return {};
    return invalid(violations.front().message);
}

Result<void> setNodes(TrainingKit& kit, int gpusPerNode)
{
    kit.ranksPerNode = std::min(kit.ranks, gpusPerNode);
    kit.nodes = kit.ranks / kit.ranksPerNode;
    if (kit.nodes * kit.ranksPerNode == kit.ranks)
        return {};
    return invalid("--gpus-per-node {}: {} ranks (devices x copies) cannot be divided into "
                   "nodes of that size; use a divisor of {}",
                   gpusPerNode, kit.ranks, kit.ranks);
}

// The arguments of train.py that differ from its defaults.
std::string argumentsOf(const Experiment& experiment, const Shape& shape, std::string_view scheme)
{
    return fmt::format("--scheme {} --iterations {} --profile-from {} --seed {} --data-parallel {}",
                       shellQuoted(scheme), experiment.warmup + experiment.iterations,
                       experiment.warmup, experiment.seed, shape.dataParallel);
}

std::string runtimeText(const std::string& obstacle)
{
    if (obstacle.empty())
        return "PyTorch's pipeline runtime executes the schedule (with `--runtime kit`, that of "
               "the kit).";
    return fmt::format("The runtime of the kit executes the schedule, because PyTorch's pipeline\n"
                       "runtime cannot execute {}.",
                       obstacle);
}

// torchtitan executes schedule files only with PipelineScheduleMulti. This class cannot join ops,
// and places stage s on rank s % D (torchtitan 0.2.2, distributed/pipeline_parallel.py).
std::string titanObstacle(const TrainingKit& kit, const Schedule& schedule)
{
    if (!kit.torchObstacle.empty())
        return kit.torchObstacle;
    const Shape& shape = schedule.shape;
    for (int stage = 0; stage < shape.stages; ++stage)
        if (const DeviceId device = schedule.device(0, StageId{stage});
            device.value != stage % shape.devices)
            return fmt::format(
                "the placement: PyTorch puts stage {} on device {}, the schedule on device {}",
                stage, stage % shape.devices, device.value);
    for (const auto& ops : schedule.program)
        if (const auto joint = std::ranges::find(ops, OpFlag::JointWithNext, &Op::flags);
            joint != ops.end())
            return toString(*joint) + ": it cannot join ops";
    return {};
}

// The unigram entropy differs after almost every edit of a text.
Result<TextData> textOf(const Experiment& experiment, const RecordedFiles& recorded)
{
    auto data
        = TRY(TextData::named(experiment.textFile, experiment.seed, experiment.model.sequence));
    constexpr double kRounding = 1e-12;
    const double entropy = data.unigramEntropy();
    if (std::abs(recorded.unigramEntropy.value_or(entropy) - entropy) <= kRounding)
        return data;
    return invalid("--text: '{}' is not the text on which the run was trained: restore "
                   "it, or give the set-up instead of the run",
                   experiment.textFile);
}

Replacements replacementsOf(const Experiment& experiment, const Schedule& schedule,
                            const TrainingKit& kit)
{
    const Shape& shape = schedule.shape;
    const ModelSpec& model = experiment.model;
    return {{"ARGUMENTS", argumentsOf(experiment, shape, schedule.scheme)},
            {"BATCH", std::to_string(shape.microBatches * model.microBatchSize)},
            {"COMMAND", commandOf(experiment)},
            {"COPIES", std::to_string(shape.dataParallel)},
            {"DEVICES", std::to_string(shape.devices)},
            {"MICRO_BATCHES", std::to_string(shape.microBatches)},
            {"MICRO_BATCH_SIZE", std::to_string(model.microBatchSize)},
            {"LAYERS", std::to_string(model.layers)},
            {"LAYOUT", kit.layout},
            {"MODEL", model.name},
            {"MODULES", titanText(model.layout.counts(model.layers, shape.stages))},
            {"NODES", std::to_string(kit.nodes)},
            {"RANKS", std::to_string(kit.ranks)},
            {"RANKS_PER_NODE", std::to_string(kit.ranksPerNode)},
            {"RUNTIME", runtimeText(kit.torchObstacle)},
            {"SCHEME", schedule.scheme},
            {"SEQUENCE", std::to_string(model.sequence)},
            {"STEPS", std::to_string(experiment.warmup + experiment.iterations)},
            {"VERSION", std::string(version())}};
}

// Writes a file in pieces of a MiB, so that it can be cancelled.
Result<void> writeFile(const KitFile& file, const std::filesystem::path& target,
                       const std::function<bool(std::size_t)>& proceed)
{
    constexpr std::size_t kPiece = 1 << 20;
    const TextSource pieces = [&](const TextSink& sink) -> Result<void> {
        for (std::size_t at = 0; at < file.text.size(); at += kPiece) {
            if (!proceed(at))
                return fail(Error::Code::Cancelled,
                            "writing the kit was cancelled; the folder is incomplete");
            sink(std::string_view(file.text).substr(at, kPiece));
        }
        return {};
    };
    return NewFile::beside(target, IfExists::Replace).and_then([&](NewFile created) {
        return saveFile(std::move(created), pieces);
    });
}

// Removes the optional files in `target` that `kit` does not contain.
Result<void> removeOthers(const TrainingKit& kit, const std::filesystem::path& target)
{
    for (const char* name : {kTorchFile, kTitanFile, kTextFile}) {
        std::error_code error;
        if (std::ranges::find(kit.files, name, &KitFile::name) == kit.files.end())
            std::filesystem::remove(target / name, error);
        if (error)
            return fail(Error::Code::Io, "cannot remove {}: {}", (target / name).string(),
                        error.message());
    }
    return {};
}

} // namespace

std::vector<std::vector<std::string>> titanModules(const std::vector<int>& layers)
{
    std::vector<std::vector<std::string>> all;
    int layer = 0;
    for (const int count : layers) {
        auto& names = all.emplace_back();
        if (all.size() == 1)
            names.emplace_back("tok_embeddings");
        for (int i = 0; i < count; ++i)
            names.push_back(fmt::format("layers.{}", layer++));
    }
    all.back().insert(all.back().end(), {"norm", "output"});
    return all;
}

std::string titanText(const std::vector<int>& layers)
{
    std::string text;
    for (const auto& names : titanModules(layers))
        text += names.empty() ? "    [],\n"
                              : fmt::format("    [\"{}\"],\n", fmt::join(names, "\", \""));
    return text;
}

std::string_view kitFilePurpose(std::string_view name)
{
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kPurposes{{
        {"schedule.csv", "the ops of every rank in their order"},
        {"model.toml", "sizes of the model, optimizer, precision"},
        {"text.txt", "the text to train on"},
        {"train.py", "trains; writes losses and traces"},
        {"runtime.py", "executes schedules that PyTorch cannot"},
        {"communication.py", "messages, all-reduces, moved stashes"},
        {"model.py", "GPT, BERT, LLaMA and ViT"},
        {"data.py", "samples and initial weights of bscope run"},
        {"schedule.py", "reads and checks schedule.csv"},
        {"run.sh", "checks PyTorch, then starts the ranks"},
        {"slurm.sh", "calls run.sh on every node"},
        {"README.md", "how to start the kit"},
        {"torch.csv", "the schedule for PyTorch's runtime"},
        {"titan.toml", "the settings for torchtitan"},
    }};
    const auto* const found
        = std::ranges::find(kPurposes, name, &std::pair<std::string_view, std::string_view>::first);
    return found == kPurposes.end() ? std::string_view() : found->second;
}

Result<std::string> launchCommand(const TrainingKit& kit, Launcher launcher,
                                  const LaunchPlace& place)
{
    // The scripts choose a free port if there is one node.
    const bool hasPort = kit.nodes > 1 && place.port != LaunchPlace().port;
    const std::string port = hasPort ? fmt::format("PORT={} ", place.port) : std::string();
    if (launcher == Launcher::Slurm)
        return port + "sbatch slurm.sh";
    if (kit.nodes > 1 && place.firstNode.empty())
        return invalid("{} nodes need the host name or address of the first one", kit.nodes);
    if (launcher == Launcher::Torchrun)
        return (kit.nodes == 1 ? std::string()
                               : fmt::format("FIRST_NODE={} ", shellQuoted(place.firstNode)))
            + port + "./run.sh";
    if (!kit.titanObstacle.empty())
        return fail(Error::Code::Unsupported, "torchtitan cannot execute {}; use torchrun or Slurm",
                    kit.titanObstacle);
    const std::string first = place.firstNode.empty() ? "localhost" : place.firstNode;
    return fmt::format("torchrun --nnodes {} --nproc-per-node {} --rdzv-backend c10d "
                       "--rdzv-endpoint {}:{} -m torchtitan.train --job.config_file titan.toml",
                       kit.nodes, kit.ranksPerNode, shellQuoted(first), place.port);
}

RecordedFiles recordedFiles(const Experiment& experiment, const Run& run)
{
    RecordedFiles recorded;
    if (!experiment.scheduleFile.empty())
        recorded.schedule = run.schedule;
    if (!experiment.textFile.empty() && experiment.textFile != TextData::kShipped)
        recorded.unigramEntropy = run.info.unigramEntropy;
    return recorded;
}

Result<Schedule> kitSchedule(const Experiment& experiment, const RecordedFiles& recorded)
{
    return recorded.schedule ? *recorded.schedule : scheduleOf(experiment, Windows::One);
}

Result<TrainingKit> trainingKit(const Experiment& experiment, int gpusPerNode,
                                const RecordedFiles& recorded)
{
    const auto schedule = TRY(kitSchedule(experiment, recorded));
    TRY(checkValid(schedule));
    TRY(checkModel(experiment.model, schedule.shape.stages));
    TRY(passSpec(experiment.model, schedule)); // the ranks cut micro-batches as `bscope run` does
    const auto data = TRY(textOf(experiment, recorded));
    TrainingKit kit;
    kit.ranks = schedule.shape.devices * schedule.shape.dataParallel;
    kit.layout = LayerLayout(
                     experiment.model.layout.counts(experiment.model.layers, schedule.shape.stages))
                     .text();
    TRY(setNodes(kit, gpusPerNode));
    const Schedule compute = withoutAdded(schedule);
    kit.torchObstacle = torchObstacle(compute);
    kit.titanObstacle = titanObstacle(kit, compute);
    kit.drains = isAsynchronous(schedule);
    const Replacements replacements = replacementsOf(experiment, schedule, kit);
    ModelSpec model = experiment.model;
    model.offload.reset(); // schedule.csv has the evicts and loads
    kit.files = {{"schedule.csv", writeCsv(schedule)}, {"model.toml", tomlText(tableOf(model))}};
    if (experiment.model.family != Family::Vit)
        kit.files.push_back({kTextFile, data.text()});
    for (const char* name : {"train.py", "runtime.py", "communication.py", "model.py", "data.py",
                             "schedule.py", "run.sh", "slurm.sh"})
        kit.files.push_back(
            {name, filledIn(name, replacements), std::string_view(name).ends_with(".sh")});
    kit.files.push_back({"README.md", filledIn("README.md", replacements)});
    if (kit.torchObstacle.empty())
        kit.files.push_back({kTorchFile, TRY(writeTorch(compute))});
    if (kit.titanObstacle.empty())
        kit.files.push_back({kTitanFile, filledIn(kTitanFile, replacements)});
    return kit;
}

Result<void> writeKit(const TrainingKit& kit, const std::filesystem::path& target,
                      IfExists ifExists, const KitProgress& progress)
{
    namespace fs = std::filesystem;
    if (folderInArchive(target))
        return writeKitArchive(kit, target, ifExists, progress);
    TRY(refuseOtherArchive(target));
    std::error_code error;
    if (ifExists == IfExists::Refuse && fs::exists(fs::symlink_status(target, error)))
        return fail(Error::Code::Io,
                    "{} exists: choose another folder, or replace the files of the kit "
                    "with --force",
                    target.string());
    fs::create_directories(target, error);
    if (error)
        return fail(Error::Code::Io, "cannot create the folder {}: {}", target.string(),
                    error.message());
    TRY(removeOthers(kit, target));
    std::size_t all = 0, done = 0;
    for (const KitFile& file : kit.files)
        all += file.text.size();
    for (const KitFile& file : kit.files) {
        const fs::path path = target / file.name;
        const auto proceed = [&](std::size_t at) { return !progress || progress(done + at, all); };
        TRY(writeFile(file, path, proceed));
        done += file.text.size();
        if (file.isExecutable)
            fs::permissions(path,
                            fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                            fs::perm_options::add, error);
        if (error)
            return fail(Error::Code::Io, "cannot make {} executable: {}", path.string(),
                        error.message());
    }
    return {};
}

} // namespace engine

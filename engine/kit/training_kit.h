#pragma once

#include "engine/base/new_file.h"
#include "engine/base/result.h"
#include "engine/experiment/experiment.h"
#include "engine/timeline/run.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

// A file of a kit. A kit is a folder of scripts that repeat an experiment with PyTorch on any
// number of machines (resources/kit).
struct KitFile
{
    std::string name, text;
    bool isExecutable = false;

    friend bool operator==(const KitFile&, const KitFile&) = default;
};

// What a file of a kit is for: "trains; writes losses and traces"; "" if it is unknown.
std::string_view kitFilePurpose(std::string_view name);

struct TrainingKit
{
    std::vector<KitFile> files;
    int ranks = 0, nodes = 0, ranksPerNode = 0;
    std::string
        layout; // the layers of every stage (LayerLayout::text()), also if it is the default
    // Why PyTorch's pipeline runtime cannot execute the schedule; the runtime of the kit then
    // executes it. "" if PyTorch can.
    std::string torchObstacle;
    // Why torchtitan cannot execute the schedule; "" if torchtitan can. torchtitan has the limits
    // of PyTorch, and also needs stage s on device s % D.
    std::string titanObstacle;
    // Whether the scheme is asynchronous. The kit then drains after every iteration, unlike `bscope
    // run`.
    bool drains = false;
};

// The modules of each stage by their names in torchtitan's Llama 3, and the lines of a TOML list
// with them. `layers` are those of every stage.
std::vector<std::vector<std::string>> titanModules(const std::vector<int>& layers);
std::string titanText(const std::vector<int>& layers);

// How the ranks of a kit are started.
enum class Launcher : std::uint8_t { Torchrun, Slurm, Torchtitan };
struct LaunchPlace
{
    // Host name or address; "": this machine. Not used with Slurm, which chooses the node itself.
    std::string firstNode;
    int port = 29500;
};
// Starts the kit in its folder, on every node or, with Slurm, once. Fails with
// Error::Code::InvalidArgument if there are several nodes and `firstNode` is empty, and with
// Error::Code::Unsupported if torchtitan cannot execute the schedule.
Result<std::string> launchCommand(const TrainingKit& kit, Launcher launcher,
                                  const LaunchPlace& place);

// What a run recorded of the files that its experiment names, because they may have changed since.
struct RecordedFiles
{
    std::optional<Schedule> schedule;     // only if a file has it; it replaces the file
    std::optional<double> unigramEntropy; // of a text file, in nats per byte; it must be the same
};
RecordedFiles recordedFiles(const Experiment& experiment, const Run& run);

// PyTorch executes windows sequentially and drains after each.
Result<Schedule> kitSchedule(const Experiment& experiment, const RecordedFiles& recorded);

// Makes the kit of an experiment: schedule.csv (with transfers, all-reduces and optimizer steps),
// model.toml, the text, the programs, torch.csv if PyTorch's runtime can execute the schedule, and
// titan.toml if torchtitan can. Fails as scheduleOf(), checkModel() and passSpec() do and if the
// schedule is not valid, with Error::Code::InvalidArgument if the ranks cannot be divided into
// nodes of `gpusPerNode` or the text is not the recorded one, and with the errors of TextData if it
// cannot be read.
Result<TrainingKit> trainingKit(const Experiment& experiment, int gpusPerNode,
                                const RecordedFiles& recorded = {});

// Called on the thread that writes the kit, before every MiB, with the bytes written so far and the
// bytes of the whole kit. Returns false to cancel.
using KitProgress = std::function<bool(std::size_t done, std::size_t all)>;
// Writes the files to a folder, which is created, or to an archive (.zip, .tar.gz, .tgz). Fails
// with Error::Code::Io if the target exists and must not be replaced, or cannot be written, with
// Error::Code::InvalidArgument if its name has the ending of another archive format, and with
// Error::Code::Cancelled. No file is left incomplete. Complete files and other files in an existing
// folder remain, except a torch.csv or titan.toml that this kit does not have.
Result<void> writeKit(const TrainingKit& kit, const std::filesystem::path& target,
                      IfExists ifExists, const KitProgress& progress = {});

// "kit" for "some/kit.tar.gz"; nullopt if `target` does not end in .zip, .tar.gz or .tgz and so is
// a folder.
std::optional<std::string> folderInArchive(const std::filesystem::path& target);

// Fails with Error::Code::InvalidArgument if `target` has the ending of another archive format,
// such as .rar or .tar.bz2; a folder of this name would be misleading.
Result<void> refuseOtherArchive(const std::filesystem::path& target);

// Writes the kit as an archive that contains the folder folderInArchive(file). Fails like
// writeKit(), and leaves no file on failure.
Result<void> writeKitArchive(const TrainingKit& kit, const std::filesystem::path& file,
                             IfExists ifExists, const KitProgress& progress);

} // namespace engine

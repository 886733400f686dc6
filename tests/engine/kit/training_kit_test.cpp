#include "engine/base/read_file.h"
#include "engine/experiment/experiment_schedule.h"
#include "engine/kit/training_kit.h"
#include "engine/model/text_data.h"
#include "engine/schedule/formats/schedule_file.h"
#include "tests/catch.h"
#include "tests/support/temporary_folder.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <cctype>
#include <fstream>

using namespace engine;
using tests::TemporaryFolder;

namespace {

Experiment experimentWith(const std::string& scheme)
{
    Experiment experiment;
    experiment.schedule.scheme = scheme;
    experiment.schedule.devices = 4;
    experiment.schedule.microBatches = 8;
    return experiment;
}

std::string textOf(const TrainingKit& kit, std::string_view name)
{
    const auto found = std::ranges::find(kit.files, name, &KitFile::name);
    return found == kit.files.end() ? "" : found->text;
}

} // namespace

TEST_CASE("a kit has the schedule that bscope run executes, and the model and text that it trains")
{
    const Experiment experiment = experimentWith("bitpipe");
    const auto kit = trainingKit(experiment, 2);
    REQUIRE(kit);
    CHECK(readCsv(textOf(*kit, "schedule.csv"))->program == scheduleOf(experiment)->program);
    CHECK(textOf(*kit, "model.toml").find("family = 'gpt'") != std::string::npos);
    CHECK(textOf(*kit, "text.txt").size() >= 1 << 20);
    CHECK(kit->ranks == 4);
    CHECK(kit->nodes == 2);
    Experiment images = experiment;
    images.model = loadModel("tiny-vit").value();
    CHECK(textOf(trainingKit(images, 2).value(), "text.txt").empty());
}

TEST_CASE("a kit states why PyTorch's runtime cannot execute its schedule")
{
    CHECK(trainingKit(experimentWith("1f1b"), 8)->torchObstacle.empty());
    for (const auto& [scheme, reason] : {std::pair("bitpipe", "one direction"),
                                         {"bpipe", "move a stash"},
                                         {"seq1f1b", "sequence slices"},
                                         {"pipedream", "one version of the weights"}}) {
        CAPTURE(scheme);
        const auto kit = trainingKit(experimentWith(scheme), 8);
        REQUIRE(kit);
        CHECK(kit->torchObstacle.find(reason) != std::string::npos);
        CHECK(kit->drains == (scheme == std::string_view("pipedream")));
        CHECK(textOf(*kit, "README.md").find(kit->torchObstacle) != std::string::npos);
        CHECK(textOf(*kit, "torch.csv").empty());
    }
}

TEST_CASE("the command of a kit names launcher, first node and port, and torchtitan's limit")
{
    const TrainingKit kit = trainingKit(experimentWith("1f1b"), 2).value();
    CHECK(launchCommand(kit, Launcher::Torchrun, {"node-1", 29500})
          == "FIRST_NODE=node-1 ./run.sh");
    CHECK(launchCommand(kit, Launcher::Torchrun, {"a b", 8000})
          == "FIRST_NODE='a b' PORT=8000 ./run.sh");
    CHECK(launchCommand(kit, Launcher::Slurm, {}) == "sbatch slurm.sh");
    CHECK(launchCommand(kit, Launcher::Torchtitan, {"node-1", 29500})
          == "torchrun --nnodes 2 --nproc-per-node 2 --rdzv-backend c10d --rdzv-endpoint "
             "node-1:29500 -m torchtitan.train --job.config_file titan.toml");
    const auto nameless = launchCommand(kit, Launcher::Torchrun, {});
    REQUIRE_FALSE(nameless);
    CHECK(nameless.error().message.find("2 nodes need the host name") != std::string::npos);
    const TrainingKit both = trainingKit(experimentWith("bitpipe"), 4).value();
    CHECK(launchCommand(both, Launcher::Torchrun, {"node-1", 8000}) == "./run.sh"); // one node
    const auto refused = launchCommand(both, Launcher::Torchtitan, {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("one direction") != std::string::npos);
}

TEST_CASE("torch.csv of a kit is the compute ops of its schedule")
{
    const auto kit = trainingKit(experimentWith("zb-v"), 8);
    REQUIRE(kit);
    const Schedule built = buildSchedule(experimentWith("zb-v").schedule).value();
    CHECK(readTorch(textOf(*kit, "torch.csv"))->program == built.program);
    CHECK(textOf(*kit, "titan.toml").empty());
    CHECK_THAT(launchCommand(*kit, Launcher::Torchtitan, {}).error().message,
               Catch::Contains(
                   "the placement: PyTorch puts stage 4 on device 0, the schedule on device 3"));
    const auto looped = trainingKit(experimentWith("interleaved-1f1b"), 8);
    CHECK_THAT(textOf(*looped, "titan.toml"),
               Catch::Contains("pipeline_parallel_degree = 4")
                   && Catch::Contains("pipeline_parallel_schedule = \"PipelineScheduleMulti\""));
}

TEST_CASE("no file of a kit has a mark that was not replaced")
{
    const auto kit = trainingKit(experimentWith("1f1b"), 8);
    REQUIRE(kit);
    for (const KitFile& file : kit->files) {
        CAPTURE(file.name);
        CHECK_FALSE(file.text.empty());
        for (std::size_t at = 0; (at = file.text.find('@', at)) != std::string::npos; ++at)
            CHECK_FALSE(std::isupper(static_cast<unsigned char>(file.text[at + 1])));
    }
}

TEST_CASE("the name of a model may contain the mark that it replaces")
{
    Experiment experiment = experimentWith("1f1b");
    experiment.model.name = "x@MODEL@";
    CHECK_THAT(textOf(trainingKit(experiment, 8).value(), "README.md"),
               Catch::Contains("8 micro-batches, x@MODEL@\n"));
}

TEST_CASE("a kit whose ranks cannot be divided into nodes is refused")
{
    const auto kit = trainingKit(experimentWith("1f1b"), 3);
    REQUIRE_FALSE(kit);
    CHECK(kit.error().message.find("--gpus-per-node 3: 4 ranks") == 0);
}

// Such kits were written, and their ranks failed or waited for each other on the cluster.
TEST_CASE("a kit whose model cannot be divided into stages or slices is refused")
{
    Experiment experiment = experimentWith("1f1b");
    experiment.model.layers = 3;
    CHECK_THAT(trainingKit(experiment, 8).error().message,
               Catch::StartsWith("3 layers cannot be divided into 4 stages"));
    experiment = experimentWith("seq1f1b");
    experiment.model.sequence = 63;
    CHECK_THAT(trainingKit(experiment, 8).error().message,
               Catch::Contains("slices do not divide a sequence of 63 tokens evenly"));
}

// The kit had the files as they were when it was written.
TEST_CASE("the kit of a run has the recorded schedule and the recorded text, or is refused")
{
    const TemporaryFolder folder;
    const auto write = [&](const char* name, const std::string& text) {
        std::ofstream(folder / name, std::ios::binary) << text;
        return (folder / name).string();
    };
    const std::string text(1000, 'a');
    Experiment experiment = experimentWith("1f1b");
    experiment.scheduleFile
        = write("s.csv", writeCsv(scheduleOf(experimentWith("1f1b"), Windows::One).value()));
    experiment.textFile = write("text.txt", text + "bcd");
    Run run;
    run.schedule = scheduleOf(experiment, Windows::One).value();
    run.info.unigramEntropy
        = TextData::named(experiment.textFile, 1, experiment.model.sequence)->unigramEntropy();
    const RecordedFiles recorded = recordedFiles(experiment, run);
    write("s.csv", writeCsv(scheduleOf(experimentWith("gpipe"), Windows::One).value()));
    const auto kit = trainingKit(experiment, 8, recorded);
    REQUIRE(kit);
    CHECK(readCsv(textOf(*kit, "schedule.csv"))->program == run.schedule.program);
    write("text.txt", text + "bce e");
    CHECK_THAT(trainingKit(experiment, 8, recorded).error().message,
               Catch::Contains("is not the text on which the run was trained"));
    CHECK(trainingKit(experiment, 8));
}

TEST_CASE("an existing folder is replaced only on request, and keeps its other files")
{
    const TemporaryFolder folder;
    const auto kit = trainingKit(experimentWith("1f1b"), 8);
    REQUIRE(kit);
    const auto target = folder / "kit";
    REQUIRE(writeKit(*kit, target, IfExists::Refuse));
    CHECK(readFile((target / "schedule.csv").string()).value() == textOf(*kit, "schedule.csv"));
    CHECK((std::filesystem::status(target / "run.sh").permissions()
           & std::filesystem::perms::owner_exec)
          != std::filesystem::perms::none);
    REQUIRE(saveFile(target / "results", "losses", IfExists::Refuse));
    std::vector<std::size_t> bytes;
    const auto cancelled
        = writeKit(*kit, target, IfExists::Replace, [&](std::size_t done, std::size_t all) {
              CHECK(all > done);
              bytes.push_back(done);
              return bytes.size() < 3;
          });
    REQUIRE(!cancelled);
    CHECK(cancelled.error().code == Error::Code::Cancelled);
    CHECK(bytes.size() == 3);
    CHECK(std::ranges::is_sorted(bytes));
    const auto refused = writeKit(*kit, target, IfExists::Refuse);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("--force") != std::string::npos);
    CHECK(writeKit(*kit, target, IfExists::Replace));
    CHECK(std::filesystem::exists(target / "results"));
}

// BitPipe written over 1F1B kept 1F1B's ops for PyTorch's runtime, and its settings for torchtitan.
TEST_CASE("a kit that replaces another has no file of it")
{
    const TemporaryFolder folder;
    const auto target = folder / "kit";
    REQUIRE(writeKit(trainingKit(experimentWith("1f1b"), 8).value(), target, IfExists::Refuse));
    REQUIRE(std::filesystem::exists(target / "torch.csv"));
    REQUIRE(std::filesystem::exists(target / "titan.toml"));
    REQUIRE(writeKit(trainingKit(experimentWith("bitpipe"), 8).value(), target, IfExists::Replace));
    CHECK_FALSE(std::filesystem::exists(target / "torch.csv"));
    CHECK_FALSE(std::filesystem::exists(target / "titan.toml"));
    REQUIRE(writeKit(trainingKit(experimentWith("zb-v"), 8).value(), target, IfExists::Replace));
    CHECK(std::filesystem::exists(target / "torch.csv"));
}

namespace {

std::vector<KitFile> filesIn(const std::filesystem::path& file)
{
    std::vector<KitFile> files;
    archive* reader = archive_read_new();
    archive_read_support_format_all(reader);
    archive_read_support_filter_gzip(reader);
    REQUIRE(archive_read_open_filename(reader, file.c_str(), 10240) == ARCHIVE_OK);
    for (archive_entry* entry = nullptr; archive_read_next_header(reader, &entry) == ARCHIVE_OK;) {
        std::string text(static_cast<std::size_t>(archive_entry_size(entry)), '\0');
        CHECK(archive_read_data(reader, text.data(), text.size()) == std::ssize(text));
        files.push_back(
            {archive_entry_pathname(entry), text, (archive_entry_perm(entry) & 0100) != 0});
    }
    archive_read_free(reader);
    return files;
}

} // namespace

TEST_CASE("a kit is written as an archive of one folder")
{
    const TemporaryFolder folder;
    const auto kit = trainingKit(experimentWith("1f1b"), 8);
    REQUIRE(kit);
    std::vector<KitFile> expected = kit->files;
    for (KitFile& file : expected)
        file.name = "my.kit/" + file.name;
    for (const char* name : {"my.kit.zip", "my.kit.tar.gz"}) {
        INFO(name);
        REQUIRE(writeKit(*kit, folder / name, IfExists::Refuse));
        CHECK_FALSE(writeKit(*kit, folder / name, IfExists::Refuse));
        REQUIRE(writeKit(*kit, folder / name, IfExists::Replace));
        CHECK(filesIn(folder / name) == expected);
    }
    // Folders of these names were made.
    for (const char* name : {"kit.rar", "kit.tar", "kit.tar.bz2", "kit.ZIP"}) {
        INFO(name);
        const auto refused = writeKit(*kit, folder / name, IfExists::Refuse);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().message.find("ends in .zip, .tar.gz, .tgz") != std::string::npos);
        CHECK_FALSE(std::filesystem::exists(folder / name));
    }
    const auto cancelled = writeKit(*kit, folder / "no.zip", IfExists::Refuse,
                                    [](std::size_t done, std::size_t) { return done == 0; });
    REQUIRE_FALSE(cancelled);
    CHECK(cancelled.error().code == Error::Code::Cancelled);
    CHECK_FALSE(std::filesystem::exists(folder / "no.zip"));
}

TEST_CASE("a kit has the layers per stage in the forms of Megatron-LM and torchtitan")
{
    Experiment experiment = experimentWith("1f1b");
    CHECK(trainingKit(experiment, 8)->layout == "Et*4|(t*4|)*2t*4L");
    experiment.model.layout = LayerLayout::parse("Et*6|t*5|t*4|tL").value();
    const auto kit = trainingKit(experiment, 8);
    REQUIRE(kit);
    CHECK_THAT(textOf(*kit, "model.toml"), Catch::Contains("layout = 'Et*6|t*5|t*4|tL'"));
    CHECK_THAT(textOf(*kit, "README.md"),
               Catch::Contains("--pipeline-model-parallel-layout 'Et*6|t*5|t*4|tL'"));
    CHECK_THAT(textOf(*kit, "titan.toml"),
               Catch::Contains("[\"layers.15\", \"norm\", \"output\"],"));
}

// The real program on GPUs that are emulated on the CPU: what a person sees of them.
#include "tests/cli/bscope.h"
#include "tests/support/paths.h"

#include <chrono>
#include <regex>

using namespace cli_test;

namespace {

using Settings = std::vector<std::pair<const char*, std::string>>;
constexpr const char* kModel = " --layers 4 --width 16 --heads 2 --sequence 8 --warmup 0";

// `gpus` of them, for the programs started while it lives.
Environment emulatedGpus(int gpus, Settings more = {})
{
    more.insert(more.end(),
                {{"LD_LIBRARY_PATH", tests::buildPath("plugins/fake_driver")},
                 {"FAKE_CUDA_DEVICES", std::to_string(gpus)},
                 {"BUBBLESCOPE_PLUGINS", tests::buildPath("plugins/emulated_gpus")},
                 {"EMULATED_GPUS", std::to_string(gpus)}});
    return Environment(std::move(more));
}

std::string run(const std::string& options, int devices = 2)
{
    return "run --backend cuda --trace ops -N 4 -D " + std::to_string(devices) + " -o run.sqlite "
        + options + kModel;
}

bool matches(const std::string& text, const char* pattern)
{
    return std::regex_search(text, std::regex(pattern));
}

std::vector<double> losses(const Folder& folder)
{
    return bscope(folder, "analyze run.sqlite --json").json()["losses"];
}

} // namespace

TEST_CASE("the program trains on emulated GPUs by copies, by NCCL and on parts of one as emulated")
{
    const auto lossesOf = [](int gpus, const std::string& options) {
        const Environment environment = emulatedGpus(gpus);
        const Folder folder;
        const Printed printed = bscope(folder, run(options + " --accumulate exact --iterations 2"));
        CAPTURE(gpus, options, printed.err);
        REQUIRE(printed.status == 0);
        return losses(folder);
    };
    const auto emulated = lossesOf(1, "--mode emulate");
    REQUIRE(emulated.size() == 2);
    CHECK(lossesOf(1, "--mode live") == emulated);
    CHECK(lossesOf(2, "--transport peer") == emulated);
    CHECK(lossesOf(2, "--transport nccl") == emulated);
    const auto copies = lossesOf(1, "--mode emulate --data-parallel 2");
    CHECK(copies != emulated);
    CHECK(lossesOf(4, "--transport peer --data-parallel 2") == copies);
    CHECK(lossesOf(4, "--transport nccl --data-parallel 2") == copies);
}

TEST_CASE("the number of GPUs decides the mode, and the file has the transport")
{
    struct Case
    {
        int gpus, devices;
        const char *options, *mode, *transport;
    };
    for (const Case& each : {
             Case{2, 2, "", "live", "peer"},
             Case{1, 2, "", "emulate", ""},
             Case{2, 2, "--data-parallel 2", "emulate", ""}, // four devices in all
             Case{4, 2, "--data-parallel 2", "live", "peer"},
             Case{2, 2, "--transport nccl", "live", "nccl"},
             Case{2, 2, "--mode emulate", "emulate", ""},
             Case{1, 2, "--mode live", "live", "local"},
             Case{2, 2, "--transport local --mode live", "live", "local"},
             Case{2, 4, "--mode live", "live", "local, peer"},
         }) {
        CAPTURE(each.gpus, each.devices, each.options);
        const Environment environment = emulatedGpus(each.gpus);
        const Folder folder;
        const std::string options = std::string("--scheme 1f1b --iterations 1 ") + each.options;
        const Printed printed = bscope(folder, run(options, each.devices));
        CAPTURE(printed.err);
        REQUIRE(printed.status == 0);
        const auto analyzed = bscope(folder, "analyze run.sqlite --json").json();
        CHECK(analyzed["mode"] == each.mode);
        CHECK(analyzed.value("transport", "") == each.transport);
    }
}

TEST_CASE("with too few GPUs the run is emulated, and a note has the reason")
{
    const Environment environment = emulatedGpus(1);
    const Folder folder;
    const Printed printed
        = bscope(folder,
                 "run --backend cuda --trace ops --mode live --scheme gpipe -D 17 -N 1 "
                 "--layers 17 --width 16 --heads 2 --sequence 8 --iterations 1 --warmup 0 "
                 "-o run.sqlite");
    CAPTURE(printed.err);
    REQUIRE(printed.status == 0);
    CHECK(contains(printed.err,
                   "17 devices cannot run at the same time here, so this run is emulated: GPU 0 "
                   "cannot run 17 devices: 132 multiprocessors are too few"));
    CHECK(bscope(folder, "analyze run.sqlite --json").json()["mode"] == "emulate");
}

TEST_CASE("with too few GPUs --transport nccl fails instead of running otherwise")
{
    const Environment environment = emulatedGpus(1);
    const Folder folder;
    const Printed printed = bscope(folder, run("--transport nccl --iterations 1"));
    CHECK(printed.status == 1);
    CAPTURE(printed.err);
    CHECK(contains(printed.err, "needs one GPU for each of 2 devices, but there is 1"));
    CHECK_FALSE(fs::exists(folder / "run.sqlite"));
}

TEST_CASE("Ctrl-C while NCCL joins the GPUs ends the program with a sentence and no file")
{
    const Environment environment = emulatedGpus(2, {{"EMULATED_ABSENT", "1"}});
    const Folder folder;
    Process process(folder, words(run("--transport nccl")));
    const auto hasPlugin = [&] { // from then on it hears
        return contains(readText("/proc/" + std::to_string(process.id()) + "/maps"),
                        tests::buildPath("plugins/emulated_gpus"));
    };
    for (int tries = 0; tries < 5000 && !hasPlugin(); ++tries)
        usleep(2000);
    usleep(300'000); // it has begun to join
    REQUIRE(process.isRunning());
    const auto begin = std::chrono::steady_clock::now();
    kill(process.id(), SIGINT);
    const Printed printed = process.wait();
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(25)); // of 30 to wait
    CHECK(printed.status == 1);
    CHECK(lines(printed.err).back()
          == "bscope: cancelled before the first iteration was complete; nothing was kept");
    CHECK_FALSE(fs::exists(folder / "run.sqlite"));
}

TEST_CASE("a GPU that hangs ends the program with a message, and recorded iterations are kept")
{
    // In a later iteration, where the patience is five seconds.
    const Environment environment = emulatedGpus(1, {{"EMULATED_HANG", "3000"}});
    const Folder folder;
    const Printed printed = bscope(folder, run("--mode emulate --graphs off --iterations 40"));
    CHECK(printed.status == 1);
    CHECK(matches(
        lines(printed.err).back(),
        R"(^bscope: device \d, index \d+, \S+: .* has been running for \d+\.\d s without completing$)"));
    CHECK_FALSE(contains(printed.err, "the program waits for a GPU"));
    CHECK(bscope(folder, "analyze run.sqlite --json").json()["outcome"] == "failed");
}

TEST_CASE("verify proves on emulated GPUs what it can, by copies and by NCCL")
{
    const Environment environment = emulatedGpus(4);
    const Folder folder;
    const Printed printed = bscope(folder, "verify --backend cuda --scheme 1f1b --json");
    CAPTURE(printed.err);
    REQUIRE(printed.status == 0);
    std::size_t byNccl = 0, live = 0;
    const auto checks = printed.json()["checks"];
    for (const auto& check : checks) {
        CHECK(check["passed"] == true);
        CHECK(check["fact"] == "integer gradients");
        byNccl += check["scheme"] == "1f1b transport=nccl" ? 1 : 0;
        live += check["mode"] == "live" ? 1 : 0;
    }
    CHECK(byNccl == 2); // at D = 2 and 4
    CHECK(live == 4);
    CHECK(checks.size() == 6);
}

#include "engine/base/version.h"
#include "tests/cli/bscope.h"

#include <algorithm>
#include <csignal>
#include <cstdint>

using namespace cli_test;

namespace {
constexpr const char* kSmall = " --layers 8 --micro-batch-size 1 --sequence 16 -N 4 ";

std::vector<nlohmann::json> events(const std::string& error)
{
    std::vector<nlohmann::json> all;
    for (const std::string& line : lines(error))
        if (line.starts_with("{"))
            all.push_back(nlohmann::json::parse(line));
    return all;
}

std::vector<std::string> names(const std::vector<nlohmann::json>& events)
{
    std::vector<std::string> all;
    for (const nlohmann::json& event : events)
        all.push_back(event["event"]);
    return all;
}

// Waits until the process has reported `count` iterations or has ended.
void awaitIterations(const Process& process, int count)
{
    const auto seen = [&] {
        int iterations = 0;
        for (const std::string& line : lines(process.errorSoFar()))
            iterations += contains(line, R"("event":"iteration")") ? 1 : 0;
        return iterations;
    };
    while (seen() < count && process.isRunning())
        usleep(2000);
}

// More iterations than any test waits for, whose record still fits a small machine.
std::string endless(const std::string& file)
{
    return "run --iterations 50000 --progress jsonl -o " + file + kSmall;
}

// The statistic of every run, however it ended: the median of its measured iterations, within its
// interval.
void checkMedian(const nlohmann::json& run)
{
    std::vector<std::int64_t> measured;
    for (const nlohmann::json& one : run["iterations"])
        if (one["warmup"] == false)
            measured.push_back(one["duration"]);
    REQUIRE(measured.size() >= 3);
    std::ranges::sort(measured);
    const auto median = run["iteration"].get<std::int64_t>();
    CHECK(median >= measured[(measured.size() - 1) / 2]);
    CHECK(median <= measured[measured.size() / 2]);
    CHECK(run["iteration_interval"][0] <= median);
    CHECK(run["iteration_interval"][1] >= median);
}

} // namespace

TEST_CASE("finished, stopped and killed runs are reported by one statistic with an interval")
{
    for (const int signal : {0, SIGTERM, SIGKILL}) {
        const Folder folder;
        const auto options = signal == 0 ? "run --iterations 6 -o run.sqlite" + std::string(kSmall)
                                         : endless("run.sqlite");
        Process process(folder, words(options));
        if (signal != 0) {
            awaitIterations(process, 8);
            kill(process.id(), signal);
        }
        process.wait();
        checkMedian(bscope(folder, "analyze run.sqlite --json").json());
    }
}

TEST_CASE("the summary at the end of a run agrees with its file")
{
    const Folder folder;
    const Printed printed
        = bscope(folder, std::string("run --iterations 3 --warmup 1 -o run.sqlite") + kSmall);
    CAPTURE(printed.err);
    REQUIRE(printed.status == 0);
    CHECK(printed.err.empty()); // no bar without a terminal
    const auto last = lines(printed.out);
    for (const char* begin : {"iteration  ", "bubble ", "peak stash ", "peak memory ", "loss "})
        CHECK(std::ranges::count_if(
                  last, [&](const std::string& line) { return line.starts_with(begin); })
              == 1);
    CHECK(contains(last.back(), "bubblescope run.sqlite"));

    const nlohmann::json run = bscope(folder, "analyze run.sqlite --json").json();
    CHECK(run["mode"] == "emulate");
    CHECK(run["outcome"] == "finished");
    CHECK(run["unit"] == "ns");
    CHECK(run["iteration"].is_number_integer());
    CHECK(run["replay"] == false);
    CHECK(run["losses"].size() == 4);
    CHECK(run["iterations"][0]["warmup"] == true);
    CHECK(run["iterations"][1]["warmup"] == false);
    CHECK(run["tokens_per_second"].get<double>() > 0);
    CHECK(run["p2p_messages"] == 48);
    for (const nlohmann::json& device : run["per_device"]) {
        CHECK(device["peak_bytes"].get<double>() > 0);
        const auto live = device["live_bytes"].get<double>(),
                   arena = device["arena_bytes"].get<double>(),
                   touched = device["touched_bytes"].get<double>();
        CHECK(live >= device["peak_bytes"].get<double>());
        CHECK(arena >= live);
        CHECK(arena <= 1.05 * live);
        CHECK(touched <= arena);
        CHECK(touched > 0.9 * arena);
    }
    CHECK(contains(printed.out, " planned, "));
    CHECK(contains(printed.out, " touched)\n"));
    CHECK(contains(bscope(folder, "analyze run.sqlite").out, " touched\n"));
    CHECK(run["peak_flops"].get<double>() > 1e8);
    CHECK(contains(run["peak_source"].get<std::string>(), "sgemm of 512 x 512 x 512, measured 20"));
    CHECK(run["mfu"].get<double>() > 0);
    CHECK(run["mfu"].get<double>() < 1);
    CHECK_FALSE(fs::exists(folder / "run.sqlite-wal"));
}

TEST_CASE(
    "with --precision bf16 a run trains in mixed precision, in less memory, and the file says so")
{
    const Folder folder;
    // Weights and all that belongs to them take 18 bytes a parameter instead of 16: what is saved
    // is half of the activations.
    const std::string run = "run --scheme 1f1b --iterations 1 --layers 8 --micro-batch-size 4 "
                            "--sequence 32 -N 4";
    REQUIRE(bscope(folder, run + " -o fp32.sqlite").status == 0);
    REQUIRE(bscope(folder, run + " --precision bf16 -o bf16.sqlite").status == 0);
    const nlohmann::json single = bscope(folder, "analyze fp32.sqlite --json").json(),
                         narrow = bscope(folder, "analyze bf16.sqlite --json").json();
    CHECK(single["precision"] == "fp32");
    CHECK(narrow["precision"] == "bf16");
    CHECK(contains(narrow["command"].get<std::string>(), "--precision bf16"));
    const Printed analyzed = bscope(folder, "analyze bf16.sqlite");
    CHECK(contains(analyzed.out, "model tiny in bf16"));
    CHECK(contains(analyzed.out, "gradient norm "));
    CHECK(narrow["iterations"][0]["gradient_norm"].get<double>()
          == Approx(single["iterations"][0]["gradient_norm"].get<double>()).epsilon(1e-2));
    CHECK(narrow["losses"] != single["losses"]);
    CHECK(narrow["losses"].back().get<double>()
          == Approx(single["losses"].back().get<double>()).epsilon(1e-3));
    for (std::size_t d = 0; d < single["per_device"].size(); ++d)
        CHECK(narrow["per_device"][d]["peak_bytes"].get<double>()
              < single["per_device"][d]["peak_bytes"].get<double>());
    const Printed refused = bscope(folder, run + " --precision tf32 -o tf32.sqlite");
    CHECK(refused.status == 1);
    CHECK(contains(refused.err,
                   "does not support tf32 training: use --precision fp32, or --backend cuda"));
    REQUIRE(bscope(folder, "experiment bf16.sqlite -o again.sqlite").status == 0);
    CHECK(bscope(folder, "analyze again.sqlite --json").json()["losses"] == narrow["losses"]);
}

TEST_CASE("a limit of memory (--device-memory) refuses what needs more, and names what would fit")
{
    const Folder folder;
    const Printed printed = bscope(
        folder, std::string("run --scheme gpipe --device-memory 2400kB -o r.sqlite") + kSmall);
    CHECK(printed.status == 1);
    CHECK(contains(printed.err, "2.2 MiB usable of 2.3 MiB: reserve 5 %"));
    CHECK(contains(printed.err, "these would fit: "));
    CHECK_FALSE(fs::exists(folder / "r.sqlite"));
    const Printed enough = bscope(
        folder,
        std::string("run --scheme gpipe --device-memory 1GiB --iterations 1 -o r.sqlite") + kSmall);
    CHECK(enough.status == 0);
    CHECK(contains(bscope(folder, "analyze r.sqlite --json").json()["command"].get<std::string>(),
                   "--device-memory 1GiB"));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // they reserve terabytes
// OpenBLAS waited forever, and only SIGKILL ended the run.
TEST_CASE("a run that cannot have the memory of OpenBLAS says how much is missing")
{
    const Folder folder;
    for (const auto& [mode, limit] : {std::pair<std::string, std::string>("emulate", "100000"),
                                      std::pair<std::string, std::string>("live", "400000")}) {
        const std::string command = "cd " + folder.path().string() + " && ulimit -d " + limit
            + " && timeout -k 1 60 " + tests::buildPath("bin/bscope")
            + " run --layers 8 --iterations 1 --mode " + mode + " -o r.sqlite 2> err";
        const int status = std::system(command.c_str());
        CAPTURE(mode, readText(folder / "err"));
        CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 1));
        CHECK(lines(readText(folder / "err")).size() == 1);
        CHECK_THAT(readText(folder / "err"),
                   Catch::Contains(mode == "live"
                                       ? "OpenBLAS needs 640 MiB of memory for 5 threads, of which "
                                       : "OpenBLAS needs 128 MiB of memory for 1 thread, of which ")
                       && Catch::Contains(" MiB are missing; raise the memory limit"));
    }
}
#endif

TEST_CASE("every scheme trains on the same samples: the losses agree")
{
    const Folder folder;
    std::vector<std::vector<double>> losses;
    for (const std::string scheme : {"1f1b", "gpipe", "bitpipe"}) {
        bscope(folder, "run --scheme " + scheme + " -o " + scheme + ".sqlite" + kSmall);
        losses.push_back(bscope(folder, "analyze " + scheme + ".sqlite --json").json()["losses"]);
    }
    REQUIRE(losses[0].size() == 7);
    for (std::size_t k = 0; k < 7; ++k) {
        CHECK(losses[1][k] == Approx(losses[0][k]).epsilon(1e-4));
        CHECK(losses[2][k] == Approx(losses[0][k]).epsilon(1e-4));
    }
}

TEST_CASE("progress in JSON lines follows progress.md")
{
    const Folder folder;
    const Printed printed = bscope(
        folder, std::string("run --iterations 2 --warmup 1 --progress jsonl -o r.sqlite") + kSmall);
    const auto all = events(printed.err);
    REQUIRE(all.size() >= 6);
    CHECK(all.front()["event"] == "started");
    CHECK(all.front()["file"] == "r.sqlite");
    CHECK(all.front()["build"] == std::string(engine::buildId()));
    CHECK(all.front()["iterations"] == 3);
    CHECK(all.back()["event"] == "finished");
    CHECK(all.back()["outcome"] == "finished");
    CHECK(names(all)[all.size() - 2] == "finishing");
    int iterations = 0;
    double t = 0;
    std::int64_t rows = 0;
    const std::string page = readText(tests::sourcePath("resources/guide/progress.md"));
    for (const nlohmann::json& event : all) {
        for (const auto& [field, value] : event.items())
            CHECK(contains(page, "`" + field + "`"));
        CHECK(event["t"].get<double>() >= t);
        t = event["t"];
        if (event["event"] == "iteration") {
            CHECK(event["index"] == iterations++);
            CHECK(event["warmup"] == (event["index"] == 0));
            CHECK(event["loss"].get<double>() > 0);
            CHECK(event["gradient_norm"].get<double>() > 0);
            CHECK(event["duration"].get<std::int64_t>() > 0);
        }
        if (event["event"] == "rows") {
            CHECK(event["last"].get<std::int64_t>() > rows);
            rows = event["last"];
        }
    }
    CHECK(iterations == 3);
}

TEST_CASE("without -o a run is saved in the data folder, and replacing a file needs --force")
{
    const Folder folder;
    CHECK(bscope(folder, std::string("run --iterations 1") + kSmall).status == 0);
    int found = 0;
    for (const auto& entry : fs::directory_iterator(folder / "bubblescope/runs"))
        found += contains(entry.path().filename().string(), "-bitpipe-D4-N4.sqlite") ? 1 : 0;
    CHECK(found == 1);

    const std::string again = std::string("run --iterations 1 -o here.sqlite") + kSmall;
    CHECK(bscope(folder, again).status == 0);
    const Printed refused = bscope(folder, again);
    CHECK(refused.status == 1);
    CHECK(contains(refused.err, "--force"));
    CHECK(bscope(folder, again + " --force").status == 0);
}

TEST_CASE("a run that cannot be written fails and leaves no file")
{
    const Folder folder;
    const Printed printed = bscope(folder, std::string("run -o /proc/run.sqlite") + kSmall);
    CHECK(printed.status == 1);
    CHECK(lines(printed.err).size() == 1);
    CHECK(contains(printed.err, "/proc"));
    const Printed failed
        = bscope(folder, std::string("run --progress jsonl -o /proc/run.sqlite") + kSmall);
    REQUIRE_FALSE(events(failed.err).empty());
    CHECK(events(failed.err).back()["event"] == "failed");
}

TEST_CASE("Ctrl-C keeps whole iterations")
{
    for (const int signal : {SIGINT, SIGTERM}) {
        const Folder folder;
        Process process(folder, words(endless("run.sqlite")));
        awaitIterations(process, 2);
        kill(process.id(), signal);
        const Printed printed = process.wait();
        CHECK(printed.status == 1);
        CHECK(events(printed.err).back()["outcome"] == "cancelled");
        CHECK(contains(lines(printed.err).back(), "complete iterations were kept"));
        const nlohmann::json run = bscope(folder, "analyze run.sqlite --json").json();
        CHECK(run["outcome"] == "cancelled");
        CHECK(run["iterations"].size() >= 2);
        CHECK_FALSE(fs::exists(folder / "run.sqlite-wal"));
    }
}

TEST_CASE("a run killed half-way leaves a file that opens")
{
    const Folder folder;
    Process process(folder, words(endless("run.sqlite")));
    awaitIterations(process, 3);
    kill(process.id(), SIGKILL);
    CHECK(process.wait().status == -SIGKILL);
    const nlohmann::json run = bscope(folder, "analyze run.sqlite --json").json();
    CHECK(run["outcome"] == "running");
    CHECK(run["iterations"].size() >= 3);
    CHECK(run["per_device"][0]["touched_bytes"].is_number()); // since the first iteration
    CHECK(contains(bscope(folder, "analyze run.sqlite").out, "not finished"));
}

TEST_CASE("a worker ends with its parent, unless it is detached")
{
    const Folder folder;
    // An intermediate parent starts the worker, reports its id and exits.
    const pid_t parent = fork();
    if (parent == 0) {
        Process worker(folder, words(endless("run.sqlite")));
        writeText(folder / "id", std::to_string(worker.id()));
        awaitIterations(worker, 1);
        _exit(0);
    }
    waitpid(parent, nullptr, 0);
    const std::string id = readText(folder / "id");
    const auto ended
        = [&] { return contains(readText(folder / "err"), R"("outcome":"cancelled")"); };
    for (int tries = 0; tries < 5000 && !ended(); ++tries)
        usleep(2000);
    CHECK(ended());
    if (!ended())
        kill(std::stoi(id), SIGKILL);
}

TEST_CASE("a run repeats its own experiment")
{
    const Folder folder;
    bscope(folder,
           std::string("run --scheme 1f1b --iterations 2 --warmup 0 --seed 7 -o first.sqlite")
               + kSmall);
    CHECK(bscope(folder, "experiment first.sqlite -o second.sqlite").status == 0);
    const nlohmann::json first = bscope(folder, "analyze first.sqlite --json").json();
    const nlohmann::json second = bscope(folder, "analyze second.sqlite --json").json();
    CHECK(first["losses"] == second["losses"]);
    CHECK(first["command"] == second["command"]);
    bscope(folder, "simulate -o simulated.sqlite");
    const Printed refused = bscope(folder, "experiment simulated.sqlite");
    CHECK(refused.status == 1);
    CHECK(contains(refused.err, "bscope simulate"));
}

TEST_CASE("the stored command repeats the run")
{
    const Folder folder;
    bscope(folder,
           std::string("run --scheme gpipe --iterations 2 --warmup 0 --link-bandwidth 2.5 "
                       "--link-latency 5 -o first.sqlite")
               + kSmall);
    const nlohmann::json first = bscope(folder, "analyze first.sqlite --json").json();
    const std::string command = first["command"];
    REQUIRE(command.starts_with("bscope run "));
    CHECK(bscope(folder, command.substr(7) + " -o again.sqlite").status == 0);
    const nlohmann::json again = bscope(folder, "analyze again.sqlite --json").json();
    CHECK(again["losses"] == first["losses"]);
    CHECK(again["command"] == first["command"]);
    CHECK(contains(again["link"].get<std::string>(), "assumed"));
    CHECK(again["per_device"][1]["communication_exposed"].get<double>() > 0);
}

TEST_CASE("the learning rate changes the losses from the second step on and is in the command")
{
    const Folder folder;
    const std::string run = "run --scheme gpipe -D 2 -N 2 --layers 2 --iterations 2 --warmup 0 ";
    REQUIRE(bscope(folder, run + "-o usual.sqlite").status == 0);
    REQUIRE(bscope(folder, run + "--learning-rate 0.01 -o fast.sqlite").status == 0);
    const auto usual = bscope(folder, "analyze usual.sqlite --json").json();
    const auto fast = bscope(folder, "analyze fast.sqlite --json").json();
    CHECK(usual["losses"][0] == fast["losses"][0]);
    CHECK(usual["losses"][1] != fast["losses"][1]);
    CHECK(contains(fast["command"].get<std::string>(), "--learning-rate 0.01"));
    CHECK(bscope(folder, run + "--learning-rate -1 -o no.sqlite").status == 2);
}

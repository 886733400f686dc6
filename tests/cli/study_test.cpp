#include "tests/cli/bscope.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <sstream>

using namespace cli_test;

namespace {

// The number in a column of the first row; 0 if it is empty.
double cellOf(const std::string& csv, const std::string& column)
{
    std::istringstream lines(csv);
    std::string header, row, name, cell;
    std::getline(lines, header);
    std::getline(lines, row);
    std::istringstream names(header), cells(row);
    while (std::getline(names, name, ',') && std::getline(cells, cell, ','))
        if (name == column)
            return std::strtod(cell.c_str(), nullptr);
    FAIL("no column " << column);
    return 0;
}

} // namespace

TEST_CASE("a study simulates its grid, and continues where it was")
{
    const Folder folder;
    writeText(folder / "s.toml",
              "[grid]\nscheme = [\"gpipe\", \"bitpipe\"]\nmicro-batches = [4, 6]\n");
    const auto json = bscope(folder, "study s.toml -o results --json").json();
    CHECK(json["points"] == 4);
    CHECK(json["not_possible"] == 1); // BitPipe needs a multiple of 4 micro-batches
    CHECK(contains(json["answer"].get<std::string>(), "BitPipe has the shortest iteration"));
    CHECK(contains(bscope(folder, "study s.toml -o results").out,
                   "4 points, 1 of them not possible"));
    writeText(folder / "s.toml", "[grid]\nmicro-batch = [4, 6]\n");
    const Printed wrong = bscope(folder, "study s.toml -o results2");
    CHECK(wrong.status == 1);
    CHECK(contains(wrong.err, "--micro-batch"));
    CHECK(contains(bscope(folder, "study s.toml").err, "add -o FOLDER"));
    CHECK(contains(bscope(folder, "study none -o results3").err, "best-scheme"));
}

TEST_CASE("every preset of simulations is answered, with its conditions, in text and JSON")
{
    for (const std::string name :
         {"bandwidth", "best-scheme", "bitpipe-ablation", "bitpipe-bert", "bitpipe-gpt",
          "bitpipe-mapping", "bitpipe-scale", "bpipe-attention", "bpipe-bounds", "bpipe-models",
          "chunks", "chunks-map", "memory-balance", "memory-ways", "odd-devices"}) {
        const Folder folder;
        CAPTURE(name);
        const auto json = bscope(folder, "study " + name + " -o results --json").json();
        REQUIRE(!json["answers"].empty());
        std::size_t known = 0;
        for (const auto& answer : json["answers"]) {
            known += answer["unknown"] == "" ? 1 : 0;
            CHECK(!answer["conditions"].empty());
            CHECK(answer["conditions"]["mode"] == "simulated");
        }
        CHECK(known > json["answers"].size() / 2); // a model may not fit
        const std::string first = json["answers"][0]["sentence"];
        CHECK(json["answers"][0]["unknown"] == "");
        CHECK(bscope(folder, "study " + name + " -o results").out.starts_with(first));
        CHECK(contains(readText(folder / "results" / "report.html"), "</h1>\n<p>"));
    }
}

// At equal conditions: the same mapping, order of concatenation and memory limit for all schemes.
TEST_CASE("BitPipe over the best other scheme on 32 A800 is what its study says first")
{
    const Folder folder;
    const auto json = bscope(folder, "study bitpipe-bert -o results --json").json();
    const auto& first = json["answers"][0];
    CHECK(first["kind"] == "ratio");
    CHECK(first["sentence"].get<std::string>().starts_with(
        "BitPipe has 1.184 times the tokens/s of Interleaved 1F1B at N = 8, 1.072 times at N = 16, "
        "1.009 times at N = 32 ("));
    CHECK(first["conditions"]["model"] == "bert-64");
    CHECK(first["conditions"]["concat"] == "direct");
    CHECK(first["conditions"]["mapping"] == "replicas-together on 4 nodes, 8 slots per node");
    CHECK(contains(first["conditions"]["memory"], "reserve 5 %"));
    const auto& parts = json["answers"][4];
    CHECK(parts["kind"] == "parts");
    CHECK(parts["unit"] == "ms");
    CHECK(parts["value"] < 0);
}

// They were called a SQLite file of another program, or no export of Nsight Systems.
TEST_CASE("the results of a study are named as such when they are opened or imported as a run")
{
    const Folder folder;
    writeText(folder / "s.toml", "[grid]\nmicro-batches = [4, 8]\n");
    REQUIRE(bscope(folder, "study s.toml -o results").status == 0);
    for (const std::string command : {"analyze ", "import "}) {
        const Printed refused = bscope(folder, command + "results/results.sqlite");
        CAPTURE(command, refused.err);
        CHECK(refused.status == 1);
        CHECK(contains(refused.err,
                       "results.sqlite has the results of a study, not a run: open report.html "
                       "beside it"));
    }
}

TEST_CASE("a study reports its points and its end as JSON lines")
{
    const Folder folder;
    writeText(folder / "s.toml", "[grid]\nscheme = [\"gpipe\", \"1f1b\"]\n");
    const std::string lines = bscope(folder, "study s.toml -o results --progress jsonl").err;
    CHECK(contains(lines, "\"event\":\"points\""));
    CHECK(contains(lines, "\"done\":2,\"all\":2,\"left\":0.0"));
    CHECK(contains(lines, "\"event\":\"finished\""));
    writeText(folder / "s.toml", "[grid]\nscheme = [\"bitpipe\"]\nmicro-batches = [3]\n");
    CHECK(contains(bscope(folder, "study s.toml -o other --progress jsonl").err,
                   "\"message\":\"no point of the study is possible: "));
}

TEST_CASE("an emulated study runs its points")
{
    const Folder folder;
    writeText(folder / "s.toml",
              "mode = \"emulate\"\n[fixed]\niterations = 4\nwarmup = 0\n[grid]\n"
              "devices = [2]\nscheme = [\"gpipe\"]\n");
    const auto json = bscope(folder, "study s.toml -o results --json").json();
    CHECK(json["not_possible"] == 0);
    const std::string csv = readText(folder / "results" / "results.csv");
    CHECK(contains(csv, "iteration,iteration_low,iteration_high"));
    for (const char* column : {"iteration_low", "loss", "forward", "backward_high"})
        CHECK(cellOf(csv, column) > 0);
}

TEST_CASE("a study with cases compares predictions with a run")
{
    const Folder folder;
    writeText(folder / "s.toml",
              "compare = \"case\"\n[files]\n\"base.sqlite\" = [\"run\", \"--devices\", 2, "
              "\"--iterations\", 2, "
              "\"--scheme\", \"gpipe\"]\n"
              "[fixed]\ndevices = 2\n[grid]\ncase = [\"calibrated\", \"emulated\"]\n"
              "scheme = [\"1f1b\"]\n[case_options]\n"
              "calibrated = [\"--mode\", \"simulate\", \"--calibrate\", \"base.sqlite\"]\n"
              "emulated = [\"--mode\", \"emulate\", \"--iterations\", 2]\n"
              "[[ratio]]\nname = \"off\"\nbaseline = { case = \"calibrated\" }\n"
              "[[answer]]\ny = \"off\"\n");
    const auto json = bscope(folder, "study s.toml -o results --json").json();
    CHECK(json["not_possible"] == 0);
    CHECK(contains(json["answer"].get<std::string>(), "Off: emulated "));
    const auto written = fs::last_write_time(folder / "results" / "base.sqlite");
    CHECK(bscope(folder, "study s.toml -o results").status == 0);
    CHECK(fs::last_write_time(folder / "results" / "base.sqlite") == written);
    writeText(folder / "s.toml",
              "[files]\n\"a.toml\" = [\"devices\"]\n[grid]\nscheme = [\"1f1b\"]\n");
    CHECK(contains(bscope(folder, "study s.toml -o other").err, "[files] a.toml: "));
}

TEST_CASE("the results of a study name the mapping of each row")
{
    const Folder folder;
    const std::string nodes = "[fixed]\ndevices = 4\ndevices-per-node = 2\niterations = 1\n[grid]\n"
                              "scheme = [\"gpipe\", \"bpipe\"]\n[scheme_options]\n"
                              "bpipe = [\"--mapping\", \"pair-adjacent\"]\n";
    for (const std::string mode : {"simulate", "emulate"}) {
        writeText(folder / "s.toml", "mode = \"" + mode + "\"\n" + nodes);
        REQUIRE(bscope(folder, "study s.toml -o " + mode).status == 0);
        for (const std::string file : {"results.csv", "report.html"}) {
            const std::string text = readText(folder / mode / file);
            CAPTURE(mode, file);
            CHECK(contains(text, "replicas-together on 2 nodes, 2 slots per node"));
            CHECK(contains(text, "pair-adjacent on 2 nodes, 2 slots per node"));
        }
    }
}

TEST_CASE("the run of a point stops with its study, even if that is killed")
{
    for (const int signal : {SIGINT, SIGKILL}) {
        const Folder folder;
        writeText(folder / "s.toml",
                  "mode = \"emulate\"\n[fixed]\niterations = 100000\nlayers = 8\nsequence = 16\n"
                  "[grid]\ndevices = [2]\nscheme = [\"gpipe\"]\n");
        Process study(folder, words("study s.toml -o results"));
        const auto has = [&folder](const char* outcome) {
            return contains(bscope(folder, "analyze results/point.sqlite --json").out, outcome);
        };
        REQUIRE(becomesTrue([&] { return has("\"outcome\": \"running\""); }));
        kill(study.id(), signal);
        const Printed printed = study.wait();
        if (signal == SIGKILL) { // the file of the run is left
            CHECK(becomesTrue([&] { return has("\"outcome\": \"cancelled\""); }));
            continue;
        }
        CHECK(contains(printed.err, "the same command continues"));
        CHECK_FALSE(fs::exists(folder / "results" / "point.sqlite"));
    }
}

namespace {

// Mounts a disk of this size at folder / "disk" for a child process and returns the status of
// `work` in it; 99: only root can mount one.
template<class Work>
int onSmallDisk(const Folder& folder, const char* size, Work work)
{
    fs::create_directories(folder / "disk");
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0)
        _exit(unshare(CLONE_NEWNS) == 0
                      && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0
                      && mount("tmpfs", (folder / "disk").c_str(), "tmpfs", 0, size) == 0
                  ? work()
                  : 99);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int filesIn(const fs::path& folder)
{
    return static_cast<int>(std::distance(fs::recursive_directory_iterator(folder), {}));
}

} // namespace

// The points after a full disk were "not possible", and -wal and -shm files were left.
TEST_CASE("a full disk ends a study or a run, and nothing is left that has no results")
{
    const Folder folder;
    writeText(folder / "s.toml",
              "mode = \"emulate\"\n[fixed]\niterations = 4\n[grid]\n"
              "devices = [2]\nscheme = [\"1f1b\", \"gpipe\"]\n");
    const int status = onSmallDisk(folder, "size=100k", [&] {
        const Printed run = bscope(folder, "run -D 2 -N 4 --scheme 1f1b -o disk/r.sqlite");
        if (run.status != 1 || !contains(run.err, "no space left") || filesIn(folder / "disk") > 0)
            return 1;
        const Printed study = bscope(folder, "study s.toml -o disk/study");
        if (study.status != 1 || !contains(study.err, "the same command continues the study"))
            return 2;
        return filesIn(folder / "disk" / "study") == 1 ? 0 : 3; // results.sqlite
    });
    if (status == 99)
        WARN("SKIPPED: a small disk can only be mounted by root");
    else
        CHECK(status == 0);
    const int created = onSmallDisk(folder, "size=16k", [&] {
        const Printed study = bscope(folder, "study s.toml -o disk/study");
        return contains(study.err, "no space left") && filesIn(folder / "disk" / "study") == 0 ? 0
                                                                                               : 4;
    });
    CHECK((created == 0 || created == 99));
}

// The disk is not full after the run of a point has failed, so the point was "not possible" for
// good.
TEST_CASE("a point whose file cannot be written ends the study and is run again")
{
    const Folder folder;
    writeText(folder / "s.toml",
              "mode = \"emulate\"\n[fixed]\niterations = 4\n[grid]\n"
              "devices = [2]\nscheme = [\"1f1b\", \"gpipe\"]\n");
    rlimit usual{};
    REQUIRE(getrlimit(RLIMIT_FSIZE, &usual) == 0);
    const rlimit small{80'000, usual.rlim_max};
    REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
    const Printed limited = bscope(folder, "study s.toml -o results");
    REQUIRE(setrlimit(RLIMIT_FSIZE, &usual) == 0);
    CHECK(limited.status == 1);
    CHECK_THAT(limited.err, Catch::Contains("reached the largest size of a file"));
    CHECK_THAT(limited.err, Catch::Contains("the same command continues the study"));
    const Printed complete = bscope(folder, "study s.toml -o results");
    CHECK(complete.status == 0);
    CHECK(contains(complete.out, "2 points, 0 of them not possible"));
}

#include "tests/cli/bscope.h"

#include <sys/stat.h>

#include <algorithm>

using namespace cli_test;

namespace {

// Runs `bscope LINE` by a shell, for redirections.
int shell(const Folder& folder, const std::string& line)
{
    const std::string command = "cd " + folder.path().string() + " && "
        + tests::buildPath("bin/bscope") + " " + line + " 2> err";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

constexpr const char* kEndlessRun
    = "run --layers 8 --iterations 100000 --progress jsonl -o r.sqlite";

// Until the run has recorded an iteration.
void waitForIteration(const Process& process)
{
    for (int i = 0; i < 5000 && !contains(process.errorSoFar(), "\"event\":\"iteration\""); ++i)
        usleep(5000);
}

std::ptrdiff_t filesIn(const fs::path& folder)
{
    return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

} // namespace

TEST_CASE("no command writes over its input or over a recorded run, with or without --force")
{
    const Folder folder;
    REQUIRE(bscope(folder, "simulate -o r.sqlite").status == 0);
    REQUIRE(bscope(folder, "schedule -o s.csv").status == 0);
    const std::string run = readText(folder / "r.sqlite"), schedule = readText(folder / "s.csv");
    for (const char* line :
         {"export r.sqlite --format csv -o r.sqlite", "export r.sqlite --format csv -o ./r.sqlite",
          "schedule -o r.sqlite", "schedule --schedule s.csv -o s.csv",
          "simulate --schedule s.csv -o s.csv", "simulate --calibrate r.sqlite -o r.sqlite",
          "run --schedule s.csv -o s.csv", "experiment r.sqlite -o r.sqlite"})
        for (const std::string force : {"", " --force"}) {
            const Printed printed = bscope(folder, line + force);
            CAPTURE(line, force, printed.err);
            CHECK(printed.status != 0);
            CHECK(lines(printed.err).size() == 1);
            CHECK(readText(folder / "r.sqlite") == run);
            CHECK(readText(folder / "s.csv") == schedule);
        }
}

TEST_CASE("an existing file is replaced with --force alone")
{
    const Folder folder;
    writeText(folder / "s.csv", "mine");
    CHECK(contains(bscope(folder, "schedule -o s.csv").err, "s.csv exists already"));
    CHECK(readText(folder / "s.csv") == "mine");
    CHECK(bscope(folder, "schedule -o s.csv --force").status == 0);
    CHECK(readText(folder / "s.csv").starts_with("device,"));
}

// --force had no effect.
TEST_CASE("without -o --force is a usage error")
{
    const Folder folder;
    for (const std::string command : {"schedule", "simulate", "devices"}) {
        const Printed printed = bscope(folder, command + " --force");
        CAPTURE(command, printed.err);
        CHECK(printed.status == 2);
        CHECK(printed.out.empty());
        CHECK(contains(printed.err, "--output"));
    }
}

TEST_CASE("a device or a pipe is neither written nor replaced")
{
    const Folder folder;
    REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
    for (const std::string file : {"/dev/null", "/dev/full", "pipe"})
        for (const std::string command : {"schedule", "simulate", "run --layers 8"}) {
            const Printed printed = bscope(folder, command + " --force -o " + file);
            CAPTURE(command, file);
            CHECK(printed.status == 1);
            CHECK(contains(printed.err, "is a device, a pipe or a socket"));
        }
    CHECK(fs::is_character_file("/dev/null"));
    CHECK(fs::is_fifo(folder / "pipe"));
}

TEST_CASE("standard output that cannot be written is an error of every command")
{
    const Folder folder;
    REQUIRE(bscope(folder, "simulate -o a.sqlite").status == 0);
    REQUIRE(bscope(folder, "schedule -o s.csv").status == 0);
    for (const std::string line :
         {"", "--help", "--version", "schemes", "schedule", "schedule --help", "validate s.csv",
          "simulate", "analyze a.sqlite", "compare a.sqlite a.sqlite",
          "export a.sqlite --format csv", "estimate --model gpt3-96b --hardware a100-sxm-80",
          "devices"}) {
        CAPTURE(line);
        CHECK(shell(folder, line + " > /dev/full") == 1);
        CHECK(contains(readText(folder / "err"), "cannot write to standard output: No space left"));
        CHECK(shell(folder, line + " >&-") == 1);
    }
}

TEST_CASE("a closed pipe ends the program without a message")
{
    const Folder folder;
    // The status of bscope, whose output goes to a program that reads nothing.
    const auto status = [&](const std::string& before, const std::string& line) {
        const std::string command = "cd " + folder.path().string() + " && (" + before
            + "timeout 60 " + tests::buildPath("bin/bscope") + " " + line
            + " 2> err; echo $? > status) | true";
        CHECK(std::system(command.c_str()) == 0);
        CHECK(readText(folder / "err").empty());
        return readText(folder / "status");
    };
    CHECK(status("", "schedule -D 64 -N 512") == "141\n"); // 128 + SIGPIPE
    CHECK(status("trap '' PIPE; ", "schedule -D 64 -N 512") == "1\n");
    // Commands that handle signals put the handler of SIGPIPE back without its flags; it was then
    // called forever.
    REQUIRE(bscope(folder, "simulate -o a.sqlite").status == 0);
    REQUIRE(bscope(folder, "export a.sqlite --format chrome -o t.json").status == 0);
    CHECK(status("", "import t.json -o b.sqlite") == "141\n");
}

TEST_CASE("a path that is not a file is not read")
{
    const Folder folder;
    REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
    fs::create_symlink("/dev/zero", folder / "zero.toml");
    fs::create_symlink(folder / "pipe", folder / "pipe.toml");
    for (const std::string file : {"zero.toml", "pipe.toml"})
        for (const std::string line : {"validate ", "simulate --schedule ", "experiment ",
                                       "run --layers 8 --text ", "run --model "}) {
            const Printed printed = bscope(folder, line + file);
            CAPTURE(line, file, printed.err);
            CHECK(printed.status != 0);
            CHECK(contains(printed.err, "is a device or a pipe, not a file"));
        }
    writeText(folder / "empty.toml", "");
    CHECK(contains(bscope(folder, "experiment empty.toml").err, "empty.toml has no keys"));
    std::string deep = "a";
    for (int i = 0; i < 50'000; ++i)
        deep += ".a";
    writeText(folder / "deep.toml", deep + " = 1\n");
    for (const std::string line :
         {"experiment ", "run --model ", "estimate --hardware a100-sxm-80 --model "})
        CHECK(bscope(folder, line + "deep.toml").status > 0);
}

TEST_CASE("a simulation that is stopped leaves nothing behind")
{
    const Folder folder;
    fs::create_directory(folder / "runs");
    Process process(folder, words("simulate -D 500 -N 5000 -o runs/big.sqlite"));
    for (int i = 0; i < 2000 && filesIn(folder / "runs") < 2; ++i)
        usleep(5000); // the lock and the unfinished file
    REQUIRE(process.isRunning());
    kill(process.id(), SIGINT);
    CHECK(process.wait().status == -SIGINT);
    CHECK(filesIn(folder / "runs") == 0);
}

TEST_CASE("a run that is stopped before its first iteration leaves no file")
{
    const Folder folder;
    Process process(folder, words("run --layers 64 --width 256 --iterations 2 -o r.sqlite"));
    for (int i = 0; i < 2000 && !fs::exists(folder / "r.sqlite"); ++i)
        usleep(2000);
    kill(process.id(), SIGINT);
    const Printed printed = process.wait();
    CHECK(printed.status == 1);
    CHECK(contains(printed.err, "nothing was kept"));
    CHECK_FALSE(fs::exists(folder / "r.sqlite"));
}

TEST_CASE("a run that is being recorded cannot be replaced, and all of it is kept")
{
    const Folder folder;
    Process process(folder, words(kEndlessRun));
    waitForIteration(process);
    for (const std::string line : {"run --layers 8 --force -o ", "simulate --force -o "}) {
        const Folder other;
        const Printed printed = bscope(other, line + (folder / "r.sqlite").string());
        CHECK(printed.status == 1);
        CHECK(contains(printed.err, "another process is writing it"));
    }
    REQUIRE(process.isRunning());
    kill(process.id(), SIGINT);
    const Printed printed = process.wait();
    CHECK(contains(printed.err, "complete iterations were kept"));
    CHECK(bscope(folder, "analyze r.sqlite --json").status == 0);
}

TEST_CASE("sixty runs without -o that start at once get sixty files")
{
    const Folder folder;
    const std::string one = tests::buildPath("bin/bscope")
        + " run --layers 8 --iterations 1 --warmup 0 --width 16 --heads 1 --sequence 8 > /dev/null";
    const std::string line = "cd " + folder.path().string() + " && export XDG_DATA_HOME=$PWD && "
        + "for i in $(seq 60); do (" + one + " || echo $i >> failed) & done; wait";
    REQUIRE(std::system(("bash -c '" + line + "'").c_str()) == 0);
    CHECK_FALSE(fs::exists(folder / "failed"));
    CHECK(filesIn(folder / "bubblescope" / "runs") == 60);
}

TEST_CASE("a killed run that is analyzed becomes one whole file")
{
    const Folder folder;
    {
        Process process(folder, words(kEndlessRun));
        waitForIteration(process);
        kill(process.id(), SIGKILL);
        process.wait();
    }
    REQUIRE(fs::exists(folder / "r.sqlite-wal"));
    const Printed first = bscope(folder, "analyze r.sqlite --json");
    CHECK(first.status == 0);
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder.path()))
        names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    // "bubblescope" has the peak of the machine.
    CHECK(names == std::vector<std::string>{"bubblescope", "err", "out", "r.sqlite"});
    CHECK(bscope(folder, "analyze r.sqlite --json").out == first.out);
}

// DEL and U+009B were printed as "\\x7f" and "\\x9b", which is no JSON.
TEST_CASE("JSON is JSON for any file name")
{
    const Folder folder;
    bscope(folder, "simulate -N 4 -o a.sqlite");
    const std::string controls = "b\x7F\xC2\x9B\n\x1B.sqlite", notUtf8 = "c\xff.sqlite";
    fs::copy_file(folder / "a.sqlite", folder / controls);
    fs::copy_file(folder / "a.sqlite", folder / notUtf8);
    const auto json
        = bscope(folder, std::vector<std::string>{"compare", controls, notUtf8, "--json"}).json();
    CHECK(json["runs"][0]["file"] == controls);
    CHECK(json["runs"][1]["file"] == "c\uFFFD.sqlite");
}

TEST_CASE("escape sequences in names of files do not reach the terminal")
{
    const Folder folder;
    const Printed printed
        = bscope(folder, std::vector<std::string>{"analyze", "\x1B]52;c;aGk=\x07.sqlite"});
    CHECK(printed.status == 1);
    CHECK_FALSE(contains(printed.err, "\x1B"));
    CHECK(contains(printed.err, "\\u001b]52;c;aGk=\\u0007.sqlite does not exist"));
}

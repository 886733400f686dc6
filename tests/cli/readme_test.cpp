#include "profiler/report/guide.h"
#include "tests/cli/bscope.h"
#include "tests/support/paths.h"

using namespace cli_test;

namespace {

// Runs the commands that the lines of a document begin with, in their order.
void checkCommands(const Folder& folder, const std::string& text, int& tried, int& triedInVain)
{
    for (const std::string& line : lines(text)) {
        CAPTURE(line);
        const bool draws = line.starts_with("bubblescope figure ")
            && fs::exists(tests::buildPath("bin/bubblescope"));
        if (draws || (line.starts_with("bscope ") && contains(line, "*"))) { // needs a shell
            const std::string command = "cd " + folder.path().string() + " && "
                + tests::buildPath("bin/") + line.substr(0, line.find('#')) + " > /dev/null";
            CHECK(std::system(command.c_str()) == 0);
            ++tried;
            continue;
        }
        if (!line.starts_with("bscope "))
            continue;
        const std::string command = line.substr(7, line.find('#') - 7);
        const bool needsGpus = contains(command, "--backend cuda");
        const Printed printed
            = bscope(folder, command + (needsGpus ? " --iterations 1 --warmup 0" : ""));
        CAPTURE(printed.err);
        if (needsGpus && printed.status != 0) { // right usage, on the wrong machine
            CHECK(printed.status == 1);
            CHECK(lines(printed.err).size() == 1);
            ++triedInVain;
        } else {
            CHECK(printed.status == 0);
            ++tried;
        }
    }
}

} // namespace

TEST_CASE("the commands of the README work")
{
    const Folder folder;
    int tried = 0, triedInVain = 0;
    checkCommands(folder, readText(tests::sourcePath("README.md")), tried, triedInVain);
    CHECK(tried > 5);
    CHECK(triedInVain <= 3);
}

TEST_CASE("the commands of the guide work in the order of its chapters")
{
    const Folder folder;
    int tried = 0, triedInVain = 0;
    for (const profiler::Chapter& chapter : profiler::guide()) {
        CAPTURE(chapter.name);
        CHECK(chapter.text.starts_with("# " + chapter.title + "\n"));
        checkCommands(folder, chapter.text, tried, triedInVain);
    }
    CHECK(tried > 25);
    CHECK(triedInVain == 0);
}

TEST_CASE("bscope help prints chapters and the help of commands")
{
    const Folder folder;
    CHECK(contains(bscope(folder, "help").out, "  recording-traces      Recording traces\n"));
    CHECK(bscope(folder, "help recording-traces").out.starts_with("# Recording traces\n"));
    CHECK(contains(bscope(folder, "help numbers").out, "| Bubble | `bubble_ratio` |"));
    const std::string keys = bscope(folder, "help experiment-files").out;
    CHECK(contains(keys, "| `run.iterations` | a whole number from "));
    CHECK(contains(keys, "| `optimizer.beta2` | a number from 0 to 0.999999 | 0.95 |"));
    CHECK(contains(keys, "messages are free; a file states it times 1e9 |"));
    CHECK(!contains(bscope(folder, "help run-files").out, "<!--"));
    CHECK(bscope(folder, "help simulate").out == bscope(folder, "simulate --help").out);
    const Printed unknown = bscope(folder, "help recording-trace");
    CHECK(unknown.status == 2);
    CHECK(contains(unknown.err,
                   "no chapter or command recording-trace; did you mean "
                   "'recording-traces'?"));
}

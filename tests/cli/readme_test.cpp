#include "tests/cli/bscope.h"
#include "tests/support/paths.h"

using namespace cli_test;

TEST_CASE("the commands of the README work")
{
    const Folder folder;
    int tried = 0, triedInVain = 0;
    for (const std::string& line : lines(readText(tests::sourcePath("README.md")))) {
        if (line.starts_with("bubblescope figure ")
            && fs::exists(tests::buildPath("bin/bubblescope"))) {
            const std::string command = "cd " + folder.path().string() + " && "
                + tests::buildPath("bin/") + line.substr(0, line.find('#')) + " > /dev/null";
            CHECK(std::system(command.c_str()) == 0);
        }
        if (!line.starts_with("bscope "))
            continue;
        CAPTURE(line);
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
    CHECK(tried > 10);
    CHECK(triedInVain <= 3);
}

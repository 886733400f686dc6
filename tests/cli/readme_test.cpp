#include "tests/cli/bscope.h"

using namespace cli_test;

TEST_CASE("the commands of the README work")
{
    const Folder folder;
    bscope(folder, "run --scheme 1f1b --iterations 1 -o 1f1b.sqlite");
    int tried = 0;
    for (const std::string& line : lines(readText(BS_SOURCE_DIR "/README.md"))) {
        if (!line.starts_with("bscope "))
            continue;
        CAPTURE(line);
        const Printed printed = bscope(folder, line.substr(7, line.find('#') - 7));
        CAPTURE(printed.err);
        CHECK(printed.status == 0);
        ++tried;
    }
    CHECK(tried > 0);
}

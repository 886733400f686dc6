#include "tests/cli/bscope.h"

using namespace cli_test;

TEST_CASE("simulate draws the iteration in letters, with the bubbles of theory")
{
    const Folder folder;
    const auto text = lines(bscope(folder, "simulate --scheme 1f1b -D 4 -N 4").out);
    REQUIRE(text.size() > 9);
    CHECK(text[5] == "device 0   | F0F1F2F3............B0B0..B1B1..B2B2..B3B3");
    CHECK(text[8] == "device 3   | ......F0B0B0F1B1B1F2B2B2F3B3B3............");
}

TEST_CASE("the picture of BitPipe is the published one")
{
    const Folder folder;
    const auto text = lines(bscope(folder, "simulate -N 4").out);
    REQUIRE(text.size() > 9);
    // As in the figure of the paper, except that two ops start a tick earlier.
    CHECK(text[6] == "device 1   | ..f0f2f1f3F2F0F3F1..B0B0B2B2B1B1B3B3b2b2b0b0b3b3b1b1....");
    CHECK(text[7] == "device 2   | ..f2f0f3f1F0F2F1F3..B2B2B0B0B3B3B1B1b0b0b2b2b1b1b3b3....");
}

TEST_CASE("a picture that does not fit is left out")
{
    const Folder folder;
    CHECK_FALSE(contains(bscope(folder, "simulate -N 64").out, "device 0   |"));
}

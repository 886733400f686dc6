#include "tests/cli/bscope.h"

using namespace cli_test;
using Catch::Contains;

TEST_CASE("synchronous schemes take the same steps to a loss, asynchronous ones are counted in "
          "updates")
{
    const Folder folder;
    const std::string run = "run --layers 8 --warmup 1 --accumulate exact --text sample -D 2";
    for (const std::string scheme : {"1f1b", "gpipe"})
        REQUIRE(bscope(folder,
                       run + " -N 4 --iterations 15 -o " + scheme + ".sqlite --scheme " + scheme)
                    .status
                == 0);
    REQUIRE(bscope(folder, run + " -N 16 --iterations 3 -o a.sqlite --scheme pipedream").status
            == 0);

    const auto json = bscope(folder, "compare 1f1b.sqlite gpipe.sqlite a.sqlite --json").json();
    CHECK(json["loss_goal"]["window"] == 32);
    CHECK(json["loss_goal"]["loss"] > 0);
    const auto steps = [&](std::size_t i) { return json["runs"][i]["steps_to_loss"]; };
    CHECK(steps(0) == steps(1));
    CHECK(json["runs"][0]["losses"] == json["runs"][1]["losses"]);
    CHECK(steps(0)["updates"].get<int>() == (steps(0)["micro_batches"].get<int>() - 1) / 4);
    CHECK(steps(2)["updates"].get<int>() == steps(2)["micro_batches"].get<int>() - 1);
    CHECK(steps(2)["tokens"].get<int>() == steps(2)["micro_batches"].get<int>() * 2 * 64);

    const Printed text = bscope(folder, "compare 1f1b.sqlite gpipe.sqlite --loss best");
    CHECK_THAT(text.out, Contains("the mean loss of 4096 tokens"));
    const auto never = bscope(folder, "compare 1f1b.sqlite gpipe.sqlite --loss 0.01 --json").json();
    CHECK(never["runs"][0]["steps_to_loss"].is_null());
    CHECK(bscope(folder, "compare 1f1b.sqlite gpipe.sqlite --loss low").status == 2);
}

// A number that a double cannot hold was an internal error.
TEST_CASE("a target loss of any size is a number or a usage error")
{
    const Folder folder;
    bscope(folder, "simulate --scheme 1f1b -o a.sqlite");
    bscope(folder, "simulate --scheme gpipe -o b.sqlite");
    for (const std::string loss : {"1e400", "1e-400", "inf", "nan", "0x1p3", "5x"}) {
        INFO(loss);
        const Printed printed = bscope(folder, "compare a.sqlite b.sqlite --loss " + loss);
        CHECK(printed.status == 2);
        CHECK_THAT(printed.err, Contains(loss + ": use best or a number above 0"));
    }
    const Printed smallest = bscope(folder, "compare a.sqlite b.sqlite --loss 1e-310");
    CHECK_THAT(smallest.err, !Contains("internal error"));
}

TEST_CASE("a simulated run has no loss to compare")
{
    const Folder folder;
    bscope(folder, "simulate --scheme 1f1b -o a.sqlite");
    bscope(folder, "simulate --scheme gpipe -o b.sqlite");
    const Printed asked = bscope(folder, "compare a.sqlite b.sqlite --loss best");
    CHECK(asked.status == 1);
    CHECK_THAT(asked.err, Contains("--loss: not every run has losses"));
    CHECK(bscope(folder, "compare a.sqlite b.sqlite --json").json()["loss_goal"].is_null());
}

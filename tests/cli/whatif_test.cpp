#include "tests/cli/bscope.h"

using namespace cli_test;

TEST_CASE("a run is predicted in its own order with slow devices, links and ops")
{
    const Folder folder;
    const std::string run = tests::sourcePath("sample_runs/1f1b-d4-n8.sqlite");
    const auto iteration = [&](const std::string& edits) {
        const auto done = bscope(folder, "whatif " + run + " --own-order --json " + edits);
        REQUIRE(done.status == 0);
        return done.json()["predictions"][0]["iteration"].get<std::int64_t>();
    };
    const auto measured = iteration("");
    CHECK(bscope(folder, "whatif " + run + " --own-order --json").json()["iteration"] == measured);
    CHECK(iteration("--slow 3=2") > measured);
    CHECK(iteration("--slow 3F5=2") > measured);
    CHECK(iteration("--slow F=0.5") < measured);
    CHECK(iteration("--link-delay 1000") > measured);
    CHECK(bscope(folder, "whatif " + run + " --own-order --slow 3=2 -o slow.sqlite").status == 0);
    const auto written = bscope(folder, "analyze slow.sqlite --json").json();
    CHECK(written["command"] == "bscope whatif " + run + " --own-order --slow 3=2");
}

// The shortest prediction came first, although it needed more memory than the devices have.
TEST_CASE("predictions that fit in the memory of the devices come first")
{
    const Folder folder;
    const std::string whatIf = "whatif " + tests::sourcePath("sample_runs/1f1b-d4-n8.sqlite");
    const auto all = bscope(folder, whatIf + " --device-memory 12MiB --reserve 0 --json").json();
    CHECK(all["usable_memory_bytes"] == 12 << 20);
    CHECK(all["predictions"][0]["scheme"] == "v-half"); // 11.6 MiB; zb-v is shorter
    CHECK(all["predictions"][0]["fits"] == true);
    CHECK(all["predictions"].back()["fits"] == false);
    const Printed none = bscope(folder, whatIf + " --device-memory 12MiB --reserve 50");
    CHECK(contains(none.out, "6.0 MiB usable of 12.0 MiB: reserve 50 %; no prediction fits"));
    CHECK(contains(bscope(folder, whatIf + " --reserve 5").err, "add --device-memory"));
}

TEST_CASE("a change or a scheme that the run cannot predict is refused")
{
    const Folder folder;
    const std::string run = tests::sourcePath("sample_runs/1f1b-d4-n8.sqlite");
    const auto error = [&](const std::string& edits) {
        const auto done = bscope(folder, "whatif " + run + ' ' + edits);
        CHECK(done.status != 0);
        return done.err;
    };
    CHECK(contains(error("--own-order --slow 9=2"), "--slow 9=2: the run has no device 9"));
    CHECK(contains(error("--own-order --slow 3=0"), "0 is not a slow-down factor"));
    CHECK(contains(error("--slow 3F5=2"), "add --own-order"));
    CHECK(contains(error("--own-order --scheme gpipe"), "--scheme"));
    CHECK(contains(
        error("--layers 24"), // it changed nothing
        "--layers is used only by --move-layers FROM:TO=COUNT and --layout; leave it out"));
    CHECK(contains(error("--scheme bpipe"), "no measured time of EVICT, LOAD"));
}

// Stage 3 of 4 has 2 of 16 layers and the output layer, the others have 5, 5 and 4.
TEST_CASE("a run stores its layers per stage, and what-if takes layers and output layer apart")
{
    const Folder folder;
    bscope(folder,
           "run --model tiny --scheme 1f1b -D 4 -N 8 --iterations 3 --layout "
           "Et*5|t*5|t*4|ttL -o run.sqlite");
    const auto iteration = [&](const std::string& edits) {
        return bscope(folder, "whatif run.sqlite --scheme 1f1b --json " + edits)
            .json()["predictions"][0]["iteration"]
            .get<double>();
    };
    const double own = iteration("");
    CHECK(iteration("--layout Et*5|t*5|t*4|ttL") == Approx(own).epsilon(1e-3));
    CHECK(iteration("--layout Et|t|t|t*13L") > 1.5 * own);
    CHECK(contains(bscope(folder, "whatif run.sqlite --scheme 1f1b --layout Et*8|t*8L").err,
                   "has 2 stages, the schedule 4"));
    CHECK(contains(bscope(folder, "analyze run.sqlite --json").out, "--layout 'Et*5|t*5|t*4|ttL'"));
}

// A model of 4 layers was predicted to be 61 % faster on 64 devices.
TEST_CASE("what-if divides the layers of the model as a run does")
{
    const Folder folder;
    bscope(folder, "run --scheme 1f1b -D 3 -N 4 --layers 4 --iterations 3 -o run.sqlite");
    const std::string whatIf = "whatif run.sqlite --scheme gpipe ";
    CHECK(contains(bscope(folder, whatIf + "-D 64").err, "4 layers, fewer than the 64 stages"));
    const auto iteration = [&](const std::string& options) {
        return bscope(folder, whatIf + "--json " + options).json()["predictions"][0]["iteration"];
    };
    CHECK(iteration("-D 3") == iteration("-D 3 --layout Et|t|ttL"));
}

#include "tests/cli/bscope.h"

using namespace cli_test;

namespace {

nlohmann::json jsonOf(const Folder& folder, const std::string& command)
{
    const Printed printed = bscope(folder, command);
    INFO(command << "\n" << printed.err);
    REQUIRE(printed.status == 0);
    return printed.json();
}

constexpr const char* kTiny = "--layers 8 --iterations 3 --warmup 1 -N 4 ";

} // namespace

TEST_CASE("the scheme that was recorded is predicted to take as long as its median iteration")
{
    const Folder folder;
    for (const std::string scheme : {"bitpipe -D 2 --chunks 2", "dualpipev -D 2", "bpipe -D 4"}) {
        CAPTURE(scheme);
        REQUIRE(
            bscope(folder, "run --scheme " + scheme + " " + kTiny + "-o run.sqlite --force").status
            == 0);
        const nlohmann::json median = jsonOf(folder, "analyze run.sqlite --json");
        for (const std::string& again : {std::string(), " --scheme " + scheme + " -N 4"}) {
            CAPTURE(again);
            const nlohmann::json prediction
                = jsonOf(folder, "simulate --calibrate run.sqlite --json" + again);
            CHECK(prediction["mode"] == "simulate");
            CHECK(prediction["unit"] == "ns");
            for (const char* key : {"iteration", "tokens_per_second"}) // rounded per op
                CHECK(prediction[key].get<double>()
                      == Approx(median[key].get<double>()).epsilon(1e-4));
        }
    }
}

TEST_CASE("one recorded run predicts other schemes and other numbers of micro-batches")
{
    const Folder folder;
    REQUIRE(bscope(folder, std::string("run --scheme 1f1b -D 4 ") + kTiny + "-o run.sqlite").status
            == 0);
    const nlohmann::json both
        = jsonOf(folder,
                 "simulate --calibrate run.sqlite --scheme 1f1b --scheme gpipe "
                 "--json");
    REQUIRE(both.size() == 2);
    CHECK(both[0]["micro_batches"] == 4); // the run's
    CHECK(both[0]["model"] == "tiny");
    CHECK(both[1]["iteration"].get<double>() > 0);
    const nlohmann::json more
        = jsonOf(folder, "simulate --calibrate run.sqlite --scheme 1f1b -N 16 --json");
    CHECK(more["iteration"].get<double>() > 2 * both[0]["iteration"].get<double>());
    CHECK(more["tokens_per_second"].get<double>() > both[0]["tokens_per_second"].get<double>());

    const Printed table
        = bscope(folder, "simulate --calibrate run.sqlite --scheme 1f1b --scheme eager-1f1b");
    CHECK(contains(table.out, "times: medians of run.sqlite (emulated)"));
    CHECK(jsonOf(folder,
                 "simulate --calibrate run.sqlite --scheme zb-h1 --split-backward 0.5 "
                 "--json")["iteration"]
              .get<double>()
          < both[0]["iteration"].get<double>() * 1.2);
    REQUIRE(bscope(folder, "simulate --calibrate run.sqlite --scheme gpipe -o gpipe.sqlite").status
            == 0);
    CHECK(jsonOf(folder, "analyze gpipe.sqlite --json")["iteration"] == both[1]["iteration"]);
}

// The schedule of the run, with all-reduces as it has them, was simulated again.
TEST_CASE("a calibrated simulation places its all-reduces by --sync")
{
    const Folder folder;
    const std::string run = "simulate --scheme bitpipe -D 4 -N 8 --allreduce 4 -o run.sqlite";
    REQUIRE(bscope(folder, run).status == 0);
    const std::string calibrated = "simulate --calibrate run.sqlite --json";
    CHECK(jsonOf(folder, calibrated)["iteration"] == 29.0);
    CHECK(jsonOf(folder, calibrated + " --sync late")["iteration"] == 35.0);

    // The scheme was built again with its defaults, and no message said so.
    const std::string halving
        = "simulate --scheme chimera -D 4 -N 8 --set concat=halving --allreduce 4 ";
    REQUIRE(bscope(folder, halving + "--force -o run.sqlite").status == 0);
    CHECK(jsonOf(folder, calibrated + " --sync late")["iteration"]
          == jsonOf(folder, halving + "--sync late --json")["iteration"]);
}

// Windows in which the pipeline fills and drains counted as measured.
TEST_CASE("a recorded stream is simulated for at most its measured windows")
{
    const Folder folder;
    const std::string run = "simulate --scheme pipedream -D 2 -N 4 --iterations 2 -o run.sqlite";
    REQUIRE(bscope(folder, run).status == 0);
    const std::string calibrated = "simulate --calibrate run.sqlite --iterations ";
    CHECK(bscope(folder, calibrated + "2").status == 0);
    const Printed refused = bscope(folder, calibrated + "3");
    CHECK(refused.status == 2);
    CHECK(contains(refused.err, "use at most 2, or add --scheme pipedream"));
    CHECK(bscope(folder, calibrated + "3 --scheme pipedream").status == 0);
}

TEST_CASE("an impossible calibration fails with one line")
{
    const Folder folder;
    REQUIRE(bscope(folder, "simulate --scheme 1f1b -D 4 -N 8 -o run.sqlite").status == 0);
    const auto refused = [&](const std::string& options, int status) {
        const Printed printed = bscope(folder, "simulate --calibrate run.sqlite " + options);
        CAPTURE(options);
        CHECK(printed.status == status);
        CHECK(lines(printed.err).size() == 1);
        return printed.err;
    };
    CHECK(contains(refused("--forward 2", 2), "--forward"));
    CHECK(contains(refused("--model gpt3-96b --hardware a100-sxm-80", 2), "--model"));
    CHECK(contains(refused("--scheme zb-h1", 2), "no measured time of I, W"));
    CHECK(contains(refused("--scheme zb-h1", 2), "--split-backward"));
    CHECK(contains(refused("--scheme bitpipe", 2), "the run has 4 stages but the schedule has 8"));
    CHECK(bscope(folder, "simulate --calibrate run.sqlite --scheme gems -D 4").status == 2);
    CHECK(
        bscope(folder, "simulate --calibrate run.sqlite --scheme interleaved-1f1b -D 2 --chunks 2")
            .status
        == 0);
    CHECK(bscope(folder, "simulate --calibrate run.sqlite --scheme looped-bfs -D 2").status == 0);
    CHECK(contains(refused("--scheme zb-h1 --split-backward 1.5", 2), "between 0 and 1"));
    CHECK(contains(bscope(folder, "simulate --split-backward 0.5").err, "--calibrate"));
    CHECK(bscope(folder, "simulate --calibrate missing.sqlite").status != 0);
}

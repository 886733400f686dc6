#include "app/cli/text/run_text.h"
#include "tests/cli/bscope.h"
#include "tests/profiler/analysis/hand_made.h"

#include <algorithm>
#include <cstdint>

using namespace analysis_test;
using namespace cli_test;
using namespace engine;
using namespace profiler;

namespace {

// pingPong() in milliseconds.
Run pingPongRun()
{
    Run run = pingPong(1'000'000);
    run.info.label = "mine";
    run.info.outcome = Outcome::Finished;
    return run;
}

GpuKernel kernelOf(std::uint32_t op, std::uint32_t name, Window window)
{
    GpuKernel kernel;
    kernel.of = {op, 0};
    kernel.name = name;
    kernel.window = window;
    return kernel;
}

} // namespace

TEST_CASE("GPU activity is printed with missing records and launches per device")
{
    Run run = pingPongRun();
    run.info.machine.settings = {{"tf32", "off"}, {"fallback", "plain kernels: an old GPU"}};
    GpuTrace trace;
    trace.strings = {"mine", "norm"};
    trace.kernels = {kernelOf(0, 0, {0, 600'000}), kernelOf(0, 1, {600'000, 1'000'000}),
                     kernelOf(5, 0, {5'000'000, 6'000'000})};
    trace.health.dropped = 2;
    Sheet sheet;
    cli::addGpu(run, trace, sheet);
    CHECK(sheet.text()
          == "3 kernels, incomplete: 2 records were lost\nan iteration launches 3 kernels, 1 to 2 "
             "per device\nplain kernels: an old GPU\n");
    const GpuActivity activity(run, trace);
    cli::addKernels(activity, kernelTable(run, activity), sheet);
    const auto table = lines(sheet.text());
    CHECK(std::ranges::count(table, words("F mine other 2 1600.0 800.0 600.0 1000.0 40.0"), words)
          == 1); // us, and of the 4 ms of both F
}

TEST_CASE("a coloured picture underlines the up direction and has a letter for every kind")
{
    const Run both = simulated("bitpipe", 2, 2);
    CHECK(contains(cli::timelineText(both, 0, 200, cli::Ink::Colours), "\033[4m\033[34m"));
    CHECK_FALSE(contains(cli::timelineText(both, 0, 200), "\033"));
    CHECK_FALSE(
        contains(cli::timelineText(simulated("1f1b", 2, 2), 0, 200, cli::Ink::Colours), "\033[4m"));
    CHECK(contains(cli::timelineText(simulated("zb-h1", 2, 2), 0, 200), "I1W"));
    Run again = simulated("1f1b", 1, 1);
    ScheduleRequest request;
    request.scheme = "1f1b";
    request.devices = request.microBatches = 1;
    again.schedule = lower(addRecompute(buildSchedule(request).value()));
    const auto costs = unitOpCosts(again.schedule, {}).value();
    again.timeline = simulate(again.schedule, costs).value();
    CHECK(contains(cli::timelineText(again, 0, 200), "F0R0B0B0"));
}

TEST_CASE(
    "estimate says what fits into what is left of the memory, and compares with the first row")
{
    const Folder folder;
    const std::string text = bscope(folder,
                                    "estimate --tensor-parallel 4 --attention recompute "
                                    "--micro-batch-size 2,4 --reserve 10")
                                 .out;
    CHECK(contains(text, "71.3 GiB usable of 79.2 GiB: reserve 10 %"));
    const auto rowOf = [rows = lines(text)](const char* size) {
        for (const std::string& row : rows)
            if (const auto cells = words(row); !cells.empty() && cells[0] == size)
                return row;
        return std::string();
    };
    CHECK(contains(rowOf("2"), "78.3 GiB, 7.0 GiB too much")); // 1F1B
    CHECK(contains(rowOf("2"), "68.5 GiB fits"));              // BPipe
    CHECK(contains(rowOf("2"), "1.0000"));
    CHECK(contains(rowOf("4"), "84.7 GiB, 13.5 GiB too much"));
    CHECK(contains(rowOf("4"), "1.0986"));
}

TEST_CASE("a comparison compares every run with the baseline")
{
    const Folder folder;
    REQUIRE(bscope(folder, "simulate --scheme 1f1b -D 2 -N 2 -o a.sqlite").status == 0);
    REQUIRE(bscope(folder, "simulate --scheme gpipe -D 2 -N 2 -o b.sqlite").status == 0);
    const std::string text = bscope(folder, "compare a.sqlite b.sqlite --baseline 1").out;
    CHECK_FALSE(contains(text, "is the baseline"));
    CHECK(contains(text, " takes as long as "));
}

#include "app/cli/text/gpu_text.h"
#include "app/cli/text/kernel_text.h"
#include "app/cli/text/run_json.h"
#include "app/cli/text/run_text.h"
#include "app/cli/text/timeline_text.h"
#include "profiler/analysis/explainer.h"
#include "tests/cli/bscope.h"
#include "tests/profiler/analysis/hand_made.h"

#include <algorithm>
#include <cstdint>
#include <regex>

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

TEST_CASE("a device of an imported run without a trace has no numbers in the table")
{
    Run run = pingPongRun();
    run.info.import.emplace();
    run.schedule.program[DeviceId{1}].clear();
    std::erase_if(run.timeline.tracks,
                  [](const Track& track) { return track.device == DeviceId{1}; });
    const std::string table = cli::deviceTable(run, metrics(run).value());
    CHECK(std::regex_search(table, std::regex("\n *1( +-){12}\n")));
}

TEST_CASE("the summary line names its iteration, and HFU if it differs from MFU")
{
    Run run = pingPongRun();
    RunMetrics numbers = metrics(run).value();
    CHECK(cli::summaryLine(run, numbers) == "iteration 16.0 ms, span 16.0 ms, bubble 50.0 %");
    Iteration more = run.timeline.iterations[0];
    run.timeline.iterations.push_back(more);
    numbers.iteration = 1;
    CHECK(contains(cli::summaryLine(run, numbers), "iteration 16.0 ms (last of 2 iterations), "));
    numbers.iteration = 0;
    run.timeline.iterations[0].kind = Iteration::Kind::Warmup;
    CHECK(contains(cli::summaryLine(run, numbers), "iteration 16.0 ms (warm-up), "));
    run.timeline.iterations[0].kind = Iteration::Kind::Replay;
    CHECK(contains(cli::summaryLine(run, numbers),
                   "iteration 16.0 ms (from the median time of each op in 1 iteration), "));

    numbers.mfu = numbers.hfu = 0.5;
    CHECK_THAT(cli::summaryLine(run, numbers), Catch::EndsWith(", MFU 50.0 %"));
    numbers.hfu = 0.625;
    run.info.peakFlops = 192e9;
    run.info.peakSource = "measured";
    CHECK_THAT(cli::summaryLine(run, numbers),
               Catch::EndsWith(", MFU 50.0 % (of 192 GFLOP/s per device, measured), HFU 62.5 %"));
}

// The median and the interval of the reported iteration were printed beside every iteration.
TEST_CASE("an iteration that is not the reported one is no median and has no interval")
{
    Run run = pingPongRun();
    run.info.mode = Mode::Live;
    for (const std::int64_t duration : {14, 15, 18, 19}) {
        Iteration more = run.timeline.iterations[0];
        more.window.end = more.window.begin + duration * 1'000'000;
        run.timeline.iterations.push_back(more);
    }
    RunMetrics numbers = metrics(run).value();
    CHECK(numbers.iteration == 0); // of 16 ms
    CHECK(contains(cli::summaryLine(run, numbers), " (median of 5), 95 % interval 14.0 ms to "));
    CHECK(cli::runJson(run, numbers)["iteration_interval"].is_array());
    numbers.iteration = 4;
    CHECK(contains(cli::summaryLine(run, numbers), "iteration 16.0 ms, span "));
    CHECK(cli::runJson(run, numbers)["iteration_interval"].is_null());
}

TEST_CASE("the heading states the number of copies and the outcome of the run")
{
    Run run = pingPongRun();
    CHECK_THAT(cli::headingOf(run), Catch::EndsWith("D = 2, N = 1, v = 1"));
    run.schedule.shape.dataParallel = 3;
    run.info.outcome = Outcome::Failed;
    run.info.failure = "a GPU is lost";
    CHECK_THAT(cli::headingOf(run),
               Catch::EndsWith(", W = 3 copies (the first is shown) (failed: a GPU is lost)"));
}

TEST_CASE("losses and norms are of what was trained: a replay trains nothing")
{
    Timeline timeline;
    CHECK(cli::lossText(timeline) == "-");
    CHECK(cli::gradientNormText(timeline) == "-");
    for (const double value : {2.0, 4.0, 3.0, 9.0}) {
        Iteration iteration;
        iteration.kind = value > 8 ? Iteration::Kind::Replay : Iteration::Kind::Measured;
        iteration.loss = iteration.gradientNorm = value;
        timeline.iterations.push_back(iteration);
    }
    CHECK(cli::lossText(timeline) == "2.000 -> 3.000 nats per token over 3 iterations");
    CHECK(cli::gradientNormText(timeline) == "2 -> 3, at most 4");
}

TEST_CASE("bubbles are listed by cause, the longest first, with the transfer that was running")
{
    const Run run = pingPongRun();
    const auto text = lines(cli::bubbleText(run, Explainer(run, 0).bubbles()));
    REQUIRE(text.size() == 8);
    CHECK(text[0]
          == "bubbles by cause, all devices: fill 4.0 ms (25.0 %), wait 8.0 ms (50.0 %), drain 4.0 "
             "ms (25.0 %)");
    CHECK(words(text[3]) == words("device ms kind because"));
    CHECK(words(text[4]) == words("0 8.0 wait 0B0 waits for 1B0 of device 1, 1.0 ms running"));
    CHECK(words(text[5])
          == words("1 4.0 drain no work left; device 0 ends the iteration with 0B0"));
    CHECK(cli::bubbleText(run, {}) == "no bubbles\n");
    const Bubble idle{DeviceId{1}, {0, 1'000'000}, Bubble::Kind::Drain, std::nullopt, {}, true};
    CHECK(words(lines(cli::bubbleText(run, {idle}))[4])
          == words("1 1.0 drain idle until the next window"));
}

TEST_CASE("the critical path lists its ops by kind, and its idle time")
{
    const Run run = pingPongRun();
    const std::string text = cli::pathText(run, Explainer(run, 0).criticalPath());
    CHECK_THAT(text, Catch::StartsWith("critical path: 6 ops, "));
    CHECK_THAT(text, Catch::EndsWith(", idle 2.0 ms\n"));
    const Run busy = handMade({.devices = 1, .stages = 1, .microBatches = 1}, {0, 3'000'000},
                              {{0, "0F0", 0, 1'000'000}, {0, "0B0", 1'000'000, 3'000'000}});
    CHECK_FALSE(contains(cli::pathText(busy, Explainer(busy, 0).criticalPath()), "idle"));
}

TEST_CASE("with recomputation the table of devices has the kept activations")
{
    const Run run = pingPongRun();
    RunMetrics numbers = metrics(run).value();
    CHECK_FALSE(contains(cli::deviceTable(run, numbers), "kept"));
    numbers.devices[{1}].peakStash = 1.5;
    numbers.devices[{1}].peakKept = 3;
    const auto text = lines(cli::deviceTable(run, numbers));
    CHECK(contains(text[0], "stash M_a  kept for recompute  weights M_theta"));
    CHECK(words(text[2]) == words("1 6.0 6.0 2.0 4.0 0.0 4.0 8.0 50.0 1.5 3.0 1.0 1 0"));
}

TEST_CASE("the difference is negative if the driver reports less memory than the program")
{
    RunInfo info;
    GpuMemory& memory = info.gpuMemory.emplace_back();
    memory[GpuMemoryOwner::Weights] = 110 << 20;
    memory.used = 100 << 20;
    CHECK(contains(cli::gpuMemoryTable(info), "-10.0 %\n"));
    memory.used = 120 << 20;
    CHECK(contains(cli::gpuMemoryTable(info), " 8.3 %\n"));
}

TEST_CASE("GPU activity is printed with missing records and launches per device")
{
    Run run = pingPongRun();
    run.info.machine.settings = {{"tf32", "off"}, {"fallback", "plain kernels: an old GPU"}};
    GpuTrace trace;
    trace.strings = {"mine", "norm"};
    trace.kernels = {kernelOf(0, 0, {0, 600'000}), kernelOf(0, 1, {600'000, 1'000'000}),
                     kernelOf(5, 0, {5'000'000, 6'000'000})};
    trace.health.dropped = 2;
    CHECK(cli::gpuText(run, trace)
          == "3 kernels, incomplete: 2 records were lost\nan iteration launches 3 kernels, 1 to 2 "
             "per device\nplain kernels: an old GPU\n");
    const GpuActivity activity(run, trace);
    const auto table = lines(cli::kernelText(activity, kernelTable(run, activity)));
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
    CHECK(contains(text, "usable memory 71.3 GiB"));
    const auto rowOf = [rows = lines(text)](const char* size) {
        for (const std::string& row : rows)
            if (const auto cells = words(row); !cells.empty() && cells[0] == size)
                return row;
        return std::string();
    };
    CHECK(contains(rowOf("2"), "78.3, 7.0 too much")); // 1F1B
    CHECK(contains(rowOf("2"), "68.5 fits"));          // BPipe
    CHECK(contains(rowOf("2"), "1.0000"));
    CHECK(contains(rowOf("4"), "84.7, 13.5 too much"));
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

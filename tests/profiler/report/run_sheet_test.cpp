#include "profiler/report/run_sheet.h"
#include "tests/profiler/analysis/hand_made.h"

#include <nlohmann/json.hpp>

#include <regex>

using namespace analysis_test;
using namespace engine;
using namespace profiler;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace {

// pingPong() in milliseconds.
Run pingPongRun()
{
    Run run = pingPong(1'000'000);
    run.info.label = "mine";
    run.info.outcome = Outcome::Finished;
    return run;
}

std::string summaryOf(const Run& run, const RunMetrics& numbers)
{
    Sheet sheet;
    addSummary(run, numbers, sheet);
    return sheet.text();
}

std::string devicesOf(const Run& run, const RunMetrics& numbers)
{
    Sheet sheet;
    addDevices(run, numbers, sheet);
    return sheet.text();
}

nlohmann::ordered_json jsonOf(const Run& run, const RunMetrics& numbers)
{
    return toJson(fields(runMeasures(), ReportedRun{run, numbers}));
}

} // namespace

TEST_CASE("the title states the number of copies and the outcome of the run")
{
    Run run = pingPongRun();
    CHECK_THAT(runHeading(run), EndsWith("D = 2, N = 1, v = 1"));
    run.schedule.shape.dataParallel = 3;
    run.info.outcome = Outcome::Failed;
    run.info.failure = "a GPU is lost";
    CHECK_THAT(runHeading(run),
               EndsWith(", W = 3 copies (the first is shown) (failed: a GPU is lost)"));
}

TEST_CASE("the summary says how its iteration was obtained, and has HFU if it differs from MFU")
{
    Run run = pingPongRun();
    RunMetrics numbers = metrics(run).value();
    CHECK(summaryOf(run, numbers)
          == "iteration   16.0 ms\nbubble      50.0 % (at most 8.0 ms on device 0)\npeak stash  "
             "1.0 M_a (device 0)\n");
    run.timeline.iterations.push_back(Iteration(run.timeline.iterations[0]));
    numbers.iteration = 1;
    CHECK_THAT(summaryOf(run, numbers), Contains("16.0 ms (shorter of 2 iterations)\n"));
    numbers.iteration = 0;
    run.timeline.iterations[0].kind = Iteration::Kind::Warmup;
    CHECK_THAT(summaryOf(run, numbers), Contains("16.0 ms (warm-up)\n"));
    run.timeline.iterations[0].kind = Iteration::Kind::Replay;
    CHECK_THAT(summaryOf(run, numbers),
               Contains("16.0 ms (typical ops: the median time of each in 1 iteration)\n"));

    numbers.mfu = numbers.hfu = 0.5;
    CHECK_THAT(summaryOf(run, numbers), EndsWith("MFU         50.0 %\n"));
    numbers.hfu = 0.625;
    run.info.peakFlops = 192e9;
    run.info.peakSource = "measured";
    CHECK_THAT(summaryOf(run, numbers), Contains("50.0 % (of 192 GFLOP/s per device, measured)\n"));
    CHECK_THAT(summaryOf(run, numbers), EndsWith("HFU         62.5 %\n"));
    numbers.mfu = numbers.hfu = std::nullopt;
    numbers.whyNoMfu = "the peak is lower";
    CHECK_THAT(summaryOf(run, numbers), EndsWith("MFU         unknown (the peak is lower)\n"));
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
    CHECK(std::regex_search(
        summaryOf(run, numbers),
        std::regex("16.0 ms, 95 % interval 14.0 ms to \\d+.0 ms \\(median of 5")));
    CHECK(jsonOf(run, numbers)["iteration_interval"].is_array());
    numbers.iteration = 4;
    CHECK_THAT(summaryOf(run, numbers), Contains("iteration   16.0 ms\n"));
    CHECK(jsonOf(run, numbers)["iteration_interval"].is_null());
}

TEST_CASE("losses and norms are of what was trained: a replay trains nothing")
{
    Run run = pingPongRun();
    const RunMetrics numbers = metrics(run).value();
    CHECK_THAT(summaryOf(run, numbers), !Contains("loss"));
    run.timeline.iterations.clear();
    for (const double value : {2.0, 4.0, 3.0, 9.0}) {
        Iteration iteration;
        iteration.kind = value > 8 ? Iteration::Kind::Replay : Iteration::Kind::Measured;
        iteration.loss = iteration.gradientNorm = value;
        run.timeline.iterations.push_back(iteration);
    }
    const std::string text = summaryOf(run, numbers);
    CHECK_THAT(text, Contains("3.000 nats per token (first 2, largest 4, 3 iterations)"));
    CHECK_THAT(text, Contains("gradient norm  3 (first 2, largest 4, 3 iterations)"));
    CHECK(jsonOf(run, numbers)["losses"].size() == 3);
}

TEST_CASE("bubbles are listed by cause, the longest first, with the transfer that was running")
{
    const Run run = pingPongRun();
    Sheet sheet;
    addBubbles(run, metrics(run).value(), sheet);
    CHECK(sheet.text().starts_with(
        "longest bubbles:\n"
        "device  time ms  kind   because\n"
        "     0      8.0  wait   0B0 waits for 1B0 of device 1, 1.0 ms running\n"));
    CHECK_THAT(sheet.text(),
               Contains("\n     1      4.0  drain  no work left; device 0 ends the "
                        "iteration with 0B0\n"));
    CHECK_THAT(sheet.text(),
               Contains("\n\nbubbles by cause, all devices: fill 4.0 ms (25.0 %), "
                        "wait 8.0 ms (50.0 %), drain 4.0 ms (25.0 %)\n"
                        "critical path: 6 ops, "));
    CHECK_THAT(sheet.text(), EndsWith(", idle 2.0 ms\n"));
    CHECK(sheet.json()["bubbles"].size() == 4);
    CHECK(sheet.json()["bubbles"][0]["chain"][0]["op"] == "1B0");
    const Bubble idle{DeviceId{1}, {0, 1'000'000}, Bubble::Kind::Drain, std::nullopt, {}, true};
    CHECK(bubbleReason(run, OpIndex(run.schedule), idle) == "idle until the next window");
}

TEST_CASE("a run without bubbles says so, and its path has no idle time")
{
    const Run busy = handMade({.devices = 1, .stages = 1, .microBatches = 1}, {0, 3'000'000},
                              {{0, "0F0", 0, 1'000'000}, {0, "0B0", 1'000'000, 3'000'000}});
    Sheet sheet;
    addBubbles(busy, metrics(busy).value(), sheet);
    CHECK_THAT(sheet.text(), Contains("No device was idle."));
    CHECK_THAT(sheet.text(), !Contains(", idle "));
}

TEST_CASE("with recomputation the table of devices has the kept activations")
{
    const Run run = pingPongRun();
    RunMetrics numbers = metrics(run).value();
    CHECK_THAT(devicesOf(run, numbers), !Contains("kept"));
    numbers.devices[{1}].peakStash = 1.5;
    numbers.devices[{1}].peakKept = 3;
    CHECK_THAT(devicesOf(run, numbers),
               Contains("peak stash M_a  kept for recompute  weights M_theta"));
}

TEST_CASE("the difference is negative if the driver reports less memory than the program")
{
    Run run = pingPongRun();
    const RunMetrics numbers = metrics(run).value();
    GpuMemory& memory = run.info.gpuMemory.emplace_back();
    memory[GpuMemoryOwner::Weights] = 110 << 20;
    memory.used = 100 << 20;
    CHECK_THAT(devicesOf(run, numbers), Contains(" -10.0\n"));
    memory.used = 120 << 20;
    CHECK_THAT(devicesOf(run, numbers), Contains(" 8.3\n"));
}

TEST_CASE("compared runs have a row each, with the settings that differ")
{
    const Run one = simulated("1f1b", 2, 2), other = simulated("gpipe", 2, 4);
    const std::vector<const Run*> runs{&one, &other};
    const std::string text = comparedRuns(runs, compare(runs).value()).text();
    CHECK(std::regex_search(text, std::regex("^run +mode +D +N +v +iteration units +compute")));
    CHECK(std::regex_search(text, std::regex("\ngpipe +simulated +2 +4 +1 +15.0 ")));
}

TEST_CASE("the time per token is in the summary, the page, JSON and the comparison")
{
    Run run = pingPongRun();
    run.info.tokensPerIteration = 1000;
    const RunMetrics numbers = metrics(run).value();
    CHECK_THAT(summaryOf(run, numbers), Contains("iteration per token  0.01600 ms\n"));
    CHECK(jsonOf(run, numbers)["iteration_per_token"] == 16'000.0);
    Sheet sheet;
    addSummary(run, numbers, sheet);
    CHECK_THAT(sheet.html(), Contains("<b>0.01600 ms</b><span>iteration per token</span>"));
    const std::vector<const Run*> runs{&run, &run};
    CHECK_THAT(comparedRuns(runs, compare(runs).value()).text(),
               Contains("iteration per token ms"));
    run.info.tokensPerIteration = 0;
    CHECK_THAT(summaryOf(run, numbers), !Contains("per token"));
}

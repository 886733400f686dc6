#include "profiler/report/run_sheet.h"
#include "tests/profiler/analysis/hand_made.h"
#include "tests/profiler/figure/figure_runs.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <regex>

using namespace analysis_test;
using namespace engine;
using namespace profiler;
using Catch::Contains;
using Catch::EndsWith;

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

nlohmann::json jsonOf(const Run& run, const RunMetrics& numbers)
{
    return nlohmann::json::parse(jsonText(fields(runMeasures(), ReportedRun{run, numbers})));
}

std::string reportOf(const std::vector<Run>& runs)
{
    std::vector<const Run*> pointers;
    for (const Run& run : runs)
        pointers.push_back(&run);
    auto page = htmlReport(pointers);
    if (!page)
        FAIL(page.error().message);
    return *std::move(page);
}

bool has(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

// Elements that are opened and not closed, or the other way round.
std::string unbalanced(const std::string& page)
{
    std::vector<std::string> open;
    const std::regex tag("<(/?)([a-z0-9]+)([^>]*)>");
    for (std::sregex_iterator it(page.begin(), page.end(), tag), end; it != end; ++it) {
        const std::string name = (*it)[2], rest = (*it)[3];
        if (name == "meta" || rest.ends_with("/"))
            continue;
        if ((*it)[1].length() == 0) {
            open.push_back(name);
            continue;
        }
        if (open.empty() || open.back() != name)
            return name;
        open.pop_back();
    }
    return open.empty() ? "" : open.back();
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

// The run page had the mean of the others, beside measures that said "unknown".
TEST_CASE("mean times are unknown if a device has no trace")
{
    Run run = pingPongRun();
    CHECK(knowsMeanTimes(run));
    run.info.mode = Mode::Imported;
    run.info.import.emplace().lack = "rank 1 has no trace";
    run.info.import->onGpu = true;
    CHECK(knowsMeanTimes(run));
    run.schedule.program[DeviceId{1}].clear();
    CHECK(knowsTimes(run));
    CHECK_FALSE(knowsMeanTimes(run));
}

// The line was missing.
TEST_CASE("a peak memory that is unknown has its reason in the summary")
{
    Run run = pingPongRun();
    run.timeline.memory = {{0, 500, MemoryEvent::kNoOp, 0, MemoryCategory::Weights}};
    const auto numbers = metrics(run).value();
    CHECK(has(summaryOf(run, numbers), "unknown (the memory of device 1 was not recorded)"));
    CHECK(jsonOf(run, numbers)["peak_bytes"].is_null());
    run.timeline.memory.push_back({0, 300, MemoryEvent::kNoOp, 1, MemoryCategory::Weights});
    CHECK_FALSE(has(summaryOf(run, metrics(run).value()), "was not recorded"));
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
        std::regex("16.0 ms, 95 % interval \\d+.\\d ms to \\d+.\\d ms \\(median of 5")));
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
    CHECK_THAT(text, Contains("3.000 nats (first 2, largest 4, 3 iterations)"));
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
    const auto bubbles = nlohmann::json::parse(sheet.json())["bubbles"];
    CHECK(bubbles.size() == 4);
    CHECK(bubbles[0]["chain"][0]["op"] == "1B0");
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

// The report failed, and its error named an option that bscope export does not have.
TEST_CASE("the report on a run with too many ops for a page has no figure and says why")
{
    const std::string page = reportOf({tests::unitRun("gpipe", 2, 50'001)});
    CHECK(unbalanced(page).empty());
    CHECK_FALSE(has(page, "<figure>"));
    CHECK(has(page, "<p>No figure: GPipe, D = 2, N = 50001 has 200004 ops in one iteration"));
    CHECK(has(page, "bubblescope figure --rows"));
}

TEST_CASE("a report on one run has the findings of its caller, with what to do")
{
    const Run run = tests::unitRun("1f1b", 4, 8);
    const Run* const runs[] = {&run};
    const std::vector<Finding> findings{
        {"straggler", {}, "recorded", "Device 2 takes <10 % longer", "check its clocks"}};
    const std::string page = htmlReport(runs, findings).value();
    CHECK(unbalanced(page).empty());
    CHECK(has(page, "<h2>Findings</h2>"));
    CHECK(has(page, "Device 2 takes &lt;10 % longer"));
    CHECK(has(page, "check its clocks"));
    CHECK_FALSE(has(htmlReport(runs).value(), "Findings"));
}

TEST_CASE("a report has the results of the run: figure, devices, bubbles with causes, set-up")
{
    Run run = tests::unitRun("1f1b", 4, 4);
    run.info.command = "bscope simulate --scheme 1f1b";
    const std::string page = reportOf({run});
    CHECK(page.starts_with("<!DOCTYPE html>"));
    CHECK(unbalanced(page).empty());
    CHECK(has(page, "<b>42.9 %</b><span>bubble</span>")); // (D-1)/(N+D-1)
    CHECK(has(page, "<b>21.0 units</b><span>iteration</span>"));
    CHECK(has(page, "<g id=\"device-3\">")); // the figure
    CHECK(has(page, "<tr><th>3</th><td>12.0</td><td>12.0</td><td>0.0</td><td>3.0</td>"));
    CHECK(has(page, "waits for "));
    CHECK(has(page, "<pre>bscope simulate --scheme 1f1b</pre>"));
    CHECK_FALSE(has(page, "<h2>Memory at the peak of each device</h2>")); // none was recorded
}

TEST_CASE("a browser loads nothing for a report, and texts of a run cannot add markup")
{
    Run run = tests::measuredRun("1f1b", 2, 4);
    run.info.label = "<script>alert(1)</script>";
    run.info.experiment = "</pre><img src=\"http://example.com/x.png\">";
    run.info.deviceName = "a & b\x01";
    const std::string page = reportOf({run});
    for (const char* loads : {"<script", "<img", "<link", "@import", "url(", " src=\"", " href=\""})
        CHECK_FALSE(has(page, loads));
    CHECK(has(page, "default-src 'none'"));
    CHECK(has(page, "&lt;script&gt;alert(1)&lt;/script&gt;"));
    CHECK(has(page, "a &amp; b\\u0001<"));
    CHECK(unbalanced(page).empty());
}

TEST_CASE("memory is in the figure and in a table if it was recorded")
{
    Run run = tests::measuredRun("1f1b", 2, 4);
    run.timeline.memory = {{0, 3 << 20, MemoryEvent::kNoOp, 0, MemoryCategory::Weights},
                           {0, 1 << 20, MemoryEvent::kNoOp, 1, MemoryCategory::Weights}};
    const std::string page = reportOf({run});
    CHECK(has(page, "<b>3.0 MiB</b><span>peak memory</span>"));
    CHECK(has(page, "<h2>Memory at the peak of each device</h2>"));
    CHECK(has(page, "<tr><th>1</th><td>1.0 MiB</td><td>1.0 MiB</td>"));
    CHECK(has(page, "class=\"memory"));
}

// The device had zeros, as if they were measured.
TEST_CASE("a device of an imported run without a trace has no numbers")
{
    Run run = tests::measuredRun("1f1b", 2, 4);
    run.info.mode = Mode::Imported;
    run.info.import.emplace();
    run.info.import->stagesKnown = run.info.import->microBatchesKnown = true;
    run.schedule.program[DeviceId{1}].clear();
    std::erase_if(run.timeline.tracks,
                  [](const Track& track) { return track.device == DeviceId{1}; });
    run.timeline.memory = {{0, 3 << 20, MemoryEvent::kNoOp, 0, MemoryCategory::Weights}};
    const std::string page = reportOf({run});
    const auto count = [&](const char* part) {
        const std::regex each(part);
        return std::distance(std::sregex_iterator(page.begin(), page.end(), each), {});
    };
    CHECK(count("<tr><th>1, no trace</th>(<td>-</td>)+</tr>") == 2); // times and memory
    CHECK(count("class=\"bubble-share\"") == 1);
    CHECK(has(page, "<tr><th>0</th><td>3.0 MiB</td>"));
}

TEST_CASE("a comparison has one figure, a row per run and the sentence about each")
{
    const std::string page
        = reportOf({tests::unitRun("1f1b", 4, 4), tests::unitRun("bitpipe", 4, 4)});
    CHECK(unbalanced(page).empty());
    CHECK(has(page, "<h1>Comparison</h1>"));
    CHECK(has(page, "BitPipe is 33.3 % shorter than 1F1B"));
    CHECK(std::regex_search(
        page,
        std::regex("<tr><th>BitPipe</th><td class=\"text\">simulated</td><td>4</td><td>4</td>"
                   "<td>2</td><td>14.0</td>")));
    CHECK(std::count(page.begin(), page.end(), '\n') > 100);
    const std::regex figure("<svg ");
    CHECK(std::distance(std::sregex_iterator(page.begin(), page.end(), figure), {}) == 1);
}

TEST_CASE("runs without a common unit are drawn one by one")
{
    const std::string page
        = reportOf({tests::unitRun("1f1b", 4, 4), tests::measuredRun("1f1b", 4, 4)});
    const std::regex figure("<svg ");
    CHECK(std::distance(std::sregex_iterator(page.begin(), page.end(), figure), {}) == 2);
}

TEST_CASE("a run without iterations has no report")
{
    Run run = tests::unitRun("1f1b", 2, 2);
    run.timeline = {};
    const Run* const runs[] = {&run};
    CHECK_FALSE(htmlReport(runs).has_value());
}

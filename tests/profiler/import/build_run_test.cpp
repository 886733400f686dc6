#include "tests/profiler/import/traces.h"

#include <algorithm>
#include <iterator>

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

// A trace with an iteration per list; each op takes 2 of every 3 us.
std::string traceOf(const std::vector<std::vector<std::string>>& iterations)
{
    std::string events;
    const auto add = [&](const std::string& name, std::size_t begin, std::size_t duration) {
        events += fmt::format(R"({}{{"ph":"X","name":"{}","pid":1,"tid":1,"ts":{},"dur":{}}})",
                              events.empty() ? "" : ",", name, begin, duration);
    };
    for (std::size_t step = 0; step < iterations.size(); ++step) {
        add(fmt::format("ProfilerStep#{}", step), 1000 * step, 900);
        for (std::size_t i = 0; i < iterations[step].size(); ++i)
            add(iterations[step][i], 1000 * step + 10 + 3 * i, 2);
    }
    return "[" + events + "]";
}

ImportedRun imported(const std::vector<std::vector<std::string>>& iterations)
{
    const TemporaryFolder folder;
    writeText(folder / "a.json", traceOf(iterations));
    return tests::imported(folder);
}

} // namespace

// The spans kept the numbers of iterations that the run does not have, and the calibration read
// past the end of its iterations.
TEST_CASE("an iteration without an op whose stage is known is left out")
{
    const std::vector<std::string> whole{"PP:0F0", "PP:1F0", "PP:1B0", "PP:0B0"};
    const ImportedRun result
        = imported({whole, {"Forward 0", "Backward 0", "Forward 1", "Backward 1"}, whole});
    const Timeline& timeline = result.run.timeline;
    CHECK(result.run.info.plannedIterations == 2);
    REQUIRE(timeline.iterations.size() == 2);
    CHECK(timeline.iterations[1].number == 1);
    CHECK(timeline.iterations[1].window == Window{2'000'000, 2'011'000});
    REQUIRE(timeline.tracks.size() == 1);
    REQUIRE(timeline.tracks[0].spans.size() == 8);
    CHECK(timeline.tracks[0].spans[3].iteration == 0);
    CHECK(timeline.tracks[0].spans[4].iteration == 1);
}

// If the first of the two had been seen alone, the import threw; if the second, it was twice in the
// program.
TEST_CASE("two joint ops of which one also ran alone are once in the program")
{
    const std::string joint = "PP:(0F0;0B0)OVERLAP_F_B";
    for (const char* alone : {"PP:0F0", "PP:0B0"}) {
        CAPTURE(alone);
        const ImportedRun result = imported({{alone}, {joint}});
        auto& program = result.run.schedule.program[DeviceId{0}];
        std::vector<std::string> ops;
        for (const Op& op : program) {
            ops.push_back("PP:" + toString(op));
            CHECK(op.flags == OpFlag::None);
        }
        std::ranges::sort(ops);
        CHECK(ops == std::vector<std::string>{"PP:0B0", "PP:0F0"});
        CHECK(result.run.timeline.tracks.at(0).spans.size() == 3);
    }
}

namespace {

using Listed = ImportReport::Match;

std::vector<Listed> matchesOf(const ImportReport& report, const std::string& rule)
{
    std::vector<Listed> matches;
    std::ranges::copy_if(report.matches, std::back_inserter(matches),
                         [&](const Listed& match) { return match.rule == rule; });
    return matches;
}

Window spanOf(const Run& run, const Listed& match, Track::Kind lane)
{
    for (const Span& span : run.timeline.track(DeviceId{*match.device}, lane)->spans)
        if (span.op == match.op && static_cast<int>(span.iteration) == match.iteration)
            return span.window();
    return {};
}

// F0 and B0 with an op of the framework each, and one between them.
std::string traceWith(const std::string& more)
{
    return R"([{"ph":"X","cat":"user_annotation","name":"PP:0F0","pid":1,"tid":1,"ts":10,"dur":10},
        {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":11,"dur":8},
        {"ph":"X","cat":"cpu_op","name":"aten::zeros","pid":1,"tid":1,"ts":22,"dur":5},
        {"ph":"X","cat":"user_annotation","name":"PP:0B0","pid":1,"tid":1,"ts":30,"dur":10},
        {"ph":"X","cat":"cpu_op","name":"aten::mm_b","pid":1,"tid":1,"ts":31,"dur":6})"
        + more + "]";
}

} // namespace

TEST_CASE("the report has the kernels of every rule, longest first, at the spans of their ops")
{
    const TemporaryFolder folder;
    TorchTraceOptions options;
    options.onGpu = true;
    writeTorchTraces(folder.path(), simulatedRun("1f1b", 2, 4), options);
    const ImportedRun result = imported(folder);
    const ImportReport& report = *result.run.info.import;
    int compute = 0;
    for (const ImportReport::Rule& rule : report.rules) {
        const auto matches = matchesOf(report, rule.name);
        CHECK(static_cast<std::int64_t>(matches.size()) == rule.matches);
        CHECK(std::ranges::is_sorted(matches, std::ranges::greater(),
                                     [](const Listed& match) { return match.window.duration(); }));
        for (const Listed& match : matches) {
            REQUIRE(match.device);
            if (match.name != "gemm")
                continue;
            REQUIRE(match.op);
            CHECK(spanOf(result.run, match, Track::Kind::Compute) == match.window);
            ++compute;
        }
    }
    CHECK(compute == 2 * 2 * 4 * 2); // iterations, devices, micro-batches, F and B
    CHECK(matchesOf(report, "").empty());
}

TEST_CASE("ops of the framework that no rule matches are listed under no rule")
{
    const TemporaryFolder folder;
    writeText(folder / "a.json", traceWith(""));
    const ImportedRun result = imported(folder);
    const ImportReport& report = *result.run.info.import;
    CHECK(matchesOf(report, "")
          == std::vector<Listed>{{"", "aten::zeros", 0, {}, 0, {11000, 16000}}});
    CHECK(matchesOf(report, "torch-pp")
          == std::vector<Listed>{{"torch-pp", "aten::mm", 0, 0, 0, {0, 8000}},
                                 {"torch-pp", "aten::mm_b", 0, 1, 0, {20000, 26000}}});
}

TEST_CASE("the longest thousand of the matches of a rule are kept")
{
    const TemporaryFolder folder;
    std::string events;
    for (int i = 1; i <= 2500; ++i) // ns
        events += fmt::format(
            R"(,{{"ph":"X","cat":"cpu_op","name":"aten::zeros","pid":1,"tid":1,"ts":{},"dur":{}.{:03}}})",
            100 + 10 * i, i / 1000, i % 1000);
    writeText(folder / "a.json", traceWith(events));
    const ImportedRun result = imported(folder);
    const auto matches = matchesOf(*result.run.info.import, "");
    REQUIRE(matches.size() == ImportReport::kMostMatches);
    CHECK(matches[0].window.duration() == 5000); // the one between F0 and B0
    CHECK(matches[1].window.duration() == 2500);
    CHECK_FALSE(matches[1].iteration); // after the iteration
    CHECK(matches.back().window.duration() == 1502);
}

TEST_CASE("the matches of the rule for recomputation are the RECOMPUTE ops")
{
    for (const bool onGpu : {false, true}) {
        const TemporaryFolder folder;
        TorchTraceOptions options;
        options.recomputes = true;
        options.onGpu = onGpu;
        writeTorchTraces(folder.path(), simulatedRun("1f1b", 2, 4), options);
        const ImportedRun result = imported(folder);
        const auto matches = matchesOf(*result.run.info.import, "recompute");
        CHECK(matches.size() == 2 * 2 * 4); // iterations, devices, micro-batches
        const OpIndex index(result.run.schedule);
        for (const Listed& match : matches) {
            REQUIRE(match.op);
            CHECK(opAt(result.run.schedule, index, *match.op).kind == OpKind::Recompute);
            CHECK(spanOf(result.run, match, Track::Kind::Compute) == match.window);
        }
    }
}

TEST_CASE("kernels of ranks in other copies of the pipeline have no device")
{
    const TemporaryFolder folder;
    const Run simulated = simulatedRun("1f1b", 3, 4);
    for (const int copy : {0, 1}) {
        TorchTraceOptions options;
        options.onGpu = true;
        options.copies = 2;
        options.copy = copy;
        writeTorchTraces(folder.path(), simulated, options);
    }
    const ImportedRun result = imported(folder);
    const auto& matches = result.run.info.import->matches;
    const auto others
        = std::ranges::count_if(matches, [](const Listed& match) { return !match.device; });
    CHECK(2 * others == std::ssize(matches));
    CHECK(std::ranges::none_of(
        matches, [](const Listed& match) { return !match.device && match.op.has_value(); }));
    // The run had the kernels of all copies, on the streams of device 0.
    CHECK(2 * std::ssize(result.gpu.kernels) == result.run.info.import->kernels);
}

TEST_CASE("matches follow the clock of their host")
{
    const TemporaryFolder folder;
    const Run simulated = simulatedRun("1f1b", 2, 4);
    for (const int rank : {0, 1}) {
        TorchTraceOptions options;
        options.onGpu = true;
        options.host = rank == 0 ? "host a" : "host b";
        options.base += rank * 1'000'000;
        writeText(folder / fmt::format("rank{}.json", rank),
                  TorchTrace(simulated, rank, options).text());
    }
    const ImportedRun result = imported(folder);
    REQUIRE(result.run.info.import->clocks.size() == 1);
    for (const Listed& match : result.run.info.import->matches)
        if (match.name == "gemm")
            CHECK(spanOf(result.run, match, Track::Kind::Compute) == match.window);
}

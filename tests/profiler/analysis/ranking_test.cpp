#include "profiler/analysis/ranking.h"
#include "tests/catch.h"

using namespace engine;
using namespace profiler;

namespace {

constexpr std::int64_t kMs = 1'000'000, kMiB = 1 << 20;

struct Given
{
    const char* label;
    std::int64_t fill, wait, drain, compute; // ms
    std::int64_t peak = 10;                  // MiB
    std::int64_t exposed = 0;
};

ComparedRun run(const Given& given)
{
    ComparedRun one;
    one.label = given.label;
    one.mode = Mode::Emulate;
    DeviceMetrics device;
    device.fill = given.fill * kMs;
    device.wait = given.wait * kMs;
    device.drain = given.drain * kMs;
    device.compute = given.compute * kMs;
    device.exposedCommunication = given.exposed * kMs;
    device.bubble = device.fill + device.wait + device.drain;
    one.metrics.devices.push_back(device);
    one.metrics.recordedDevices = 1;
    one.metrics.duration = device.bubble + device.compute + device.exposedCommunication;
    one.metrics.bubbleRatio
        = static_cast<double>(device.bubble) / static_cast<double>(one.metrics.duration);
    one.peakBytes = given.peak * kMiB;
    const auto add = [&one](const char* key, double value) {
        one.amounts[key] = {value, Spread::Exact};
    };
    add("iteration", static_cast<double>(one.metrics.duration));
    add("bubble", static_cast<double>(device.bubble));
    add("bubble_ratio", one.metrics.bubbleRatio);
    add("compute", static_cast<double>(device.compute));
    add("communication_exposed", static_cast<double>(device.exposedCommunication));
    one.amounts["peak_bytes"] = {static_cast<double>(*one.peakBytes), Spread::Exact};
    return one;
}

void setInterval(ComparedRun& run, double least, double most) // ms
{
    Amount& time = run.amounts["iteration"];
    time = {time.value, Spread::Interval, least * kMs, most * kMs};
}

Comparison comparison(std::initializer_list<Given> runs)
{
    Comparison all;
    for (const Given& one : runs)
        all.runs.push_back(run(one));
    return all;
}

using Order = std::vector<std::size_t>;

} // namespace

TEST_CASE("runs are ranked by iteration, bubble, peak memory or name")
{
    // 30 ms, 20 ms and 24 ms
    const Comparison all
        = comparison({{"a", 5, 0, 5, 20, 8}, {"c", 1, 0, 1, 18, 12}, {"b", 0, 0, 1, 23, 6}});
    CHECK(rankRuns(all, RankBy::Iteration).order == Order{1, 2, 0});
    CHECK(rankRuns(all, RankBy::Bubble).order == Order{2, 1, 0});
    CHECK(rankRuns(all, RankBy::Peak).order == Order{2, 0, 1});
    CHECK(rankRuns(all, RankBy::Name).order == Order{0, 2, 1});
    const Ranking reversed = rankRuns(all, RankBy::Iteration, RankOrder::WorstFirst);
    CHECK(reversed.order == Order{0, 2, 1});
    CHECK(reversed.rank == std::vector<int>{3, 1, 2});
}

TEST_CASE("a run of unknown memory is ranked last by memory")
{
    Comparison all = comparison({{"a", 0, 0, 0, 20, 8}, {"b", 0, 0, 0, 10, 9}});
    all.runs[0].peakBytes.reset();
    CHECK(rankRuns(all, RankBy::Peak).order == Order{1, 0});
    CHECK(paretoFront(all) == std::vector<bool>{false, true});
}

TEST_CASE("runs of another mode have a list of their own, after that of the baseline")
{
    Comparison all
        = comparison({{"predicted", 0, 0, 0, 5}, {"slow", 0, 0, 0, 20}, {"fast", 0, 0, 0, 10}});
    all.runs[0].mode = Mode::Simulate;
    all.baseline = 1;
    const Ranking ranking = rankRuns(all, RankBy::Iteration);
    CHECK(ranking.order == Order{2, 1, 0});
    CHECK(ranking.rank == std::vector<int>{1, 2, 1});
    CHECK(ranking.lists == std::vector<std::size_t>{0, 2});
    CHECK(paretoFront(all) == std::vector<bool>{false, false, true});
}

// Ranks were plain, and a bracket joined runs whose intervals overlapped.
TEST_CASE("a run shares the rank of the first of its tie, and the next rank counts the runs")
{
    Comparison all = comparison(
        {{"a", 0, 0, 0, 10}, {"b", 0, 0, 0, 11}, {"c", 0, 0, 0, 12}, {"d", 0, 0, 0, 20}});
    setInterval(all.runs[0], 9, 11);
    setInterval(all.runs[1], 10, 12);
    setInterval(all.runs[2], 11, 13); // distinguishable from a, not from b
    setInterval(all.runs[3], 19, 21);
    const Ranking ranking = rankRuns(all, RankBy::Iteration);
    CHECK(ranking.ties == std::vector<Ranking::Tie>{{0, 1}});
    CHECK(ranking.rank == std::vector<int>{1, 1, 3, 4});
    CHECK(ranking.rankText(0) == "1=");
    CHECK(ranking.rankText(3) == "4");
    for (ComparedRun& one : all.runs)
        one.amounts["iteration"].spread = Spread::Unknown;
    CHECK(rankRuns(all, RankBy::Iteration).rank == std::vector<int>{1, 1, 1, 1});
}

// The rank took the intervals of the runs, and the verdict those of the paired rounds.
TEST_CASE("runs that took turns are ranked by their rounds")
{
    Comparison all = comparison({{"a", 0, 0, 0, 10}, {"b", 0, 0, 0, 11}});
    setInterval(all.runs[0], 8, 12);
    setInterval(all.runs[1], 9, 13);
    CHECK(rankRuns(all, RankBy::Iteration).rank == std::vector<int>{1, 1});
    all.runs[0].rounds = {9, 10, 12};
    all.runs[1].rounds = {10, 11, 13.1};
    CHECK(rankRuns(all, RankBy::Iteration).rank == std::vector<int>{1, 2});
}

TEST_CASE("schemes with older weights have no rank and never win")
{
    Comparison all
        = comparison({{"2BW", 0, 0, 0, 5, 1}, {"slow", 0, 0, 0, 20}, {"fast", 0, 0, 0, 10}});
    all.runs[0].hasOlderWeights = true;
    all.baseline = 1;
    const Ranking ranking = rankRuns(all, RankBy::Iteration);
    CHECK(ranking.order == Order{2, 1, 0});
    CHECK(ranking.rank == std::vector<int>{0, 2, 1});
    CHECK(ranking.rankText(0) == "\u2013");
    CHECK(paretoFront(all) == std::vector<bool>{false, false, true});
    CHECK(verdict(all).run == 2);
    all.baseline = 0; // also if it is the baseline
    CHECK(rankRuns(all, RankBy::Iteration).order == Order{2, 1, 0});
    const Comparison two = comparison({{"slow", 0, 0, 0, 20}, {"2BW", 0, 0, 0, 5}});
    Comparison asynchronous = two;
    asynchronous.runs[1].hasOlderWeights = true;
    CHECK(verdict(two).kind == Verdict::Kind::Better);
    CHECK(verdict(asynchronous).kind == Verdict::Kind::Unclear);
}

TEST_CASE("a peak in M_a is not compared with a peak in bytes")
{
    Comparison all = comparison({{"a", 0, 0, 0, 20, 8}, {"b", 0, 0, 0, 10, 9}});
    all.runs[0].peakBytes.reset();
    all.runs[0].peakStash = 3;
    CHECK(rankRuns(all, RankBy::Peak).order == Order{1, 0});
    CHECK(paretoFront(all) == std::vector<bool>{false, true});
    all.runs[1].peakBytes.reset();
    all.runs[1].peakStash = 4;
    CHECK(rankRuns(all, RankBy::Peak).order == Order{0, 1});
    CHECK(paretoFront(all) == std::vector<bool>{true, true});
}

TEST_CASE("the Pareto front has the runs that no other beats in both time and memory")
{
    const Comparison all = comparison({{"fast", 0, 0, 0, 10, 20},
                                       {"lean", 0, 0, 0, 20, 5},
                                       {"between", 0, 0, 0, 15, 10},
                                       {"beaten", 0, 0, 0, 16, 11}});
    CHECK(paretoFront(all) == std::vector<bool>{true, true, true, false});
}

TEST_CASE("the parts of an iteration add up to it")
{
    const TimeParts parts = timeParts(run({"a", 5, 1, 4, 20, 8, 2}));
    CHECK(parts.fill == 5.0 * kMs);
    CHECK(parts.idle() == 12.0 * kMs);
    CHECK(parts.idle() + parts.compute + parts.optimizer == 32.0 * kMs);
}

TEST_CASE("the verdict names the run that wins, by how much, why and at what cost")
{
    const Comparison all
        = comparison({{"1F1B", 5, 1, 6, 20, 8}, {"ZB-V", 2, 1, 0, 20, 12, 1}, {"x", 5, 1, 5, 20}});
    const Verdict first = verdict(all);
    CHECK(first.kind == Verdict::Kind::Better);
    CHECK(first.text()
          == "ZB-V is 25.0 % shorter than 1F1B (−8.0 ms, exact): 9.0 ms less bubble, 1.0 "
             "ms more exposed communication. +4.0 MiB at the peak. It is faster than every other "
             "ranked run.");
}

TEST_CASE("a baseline on rank 1 is compared with the next run, and a second run with the baseline")
{
    Comparison all = comparison({{"1F1B", 1, 0, 1, 20}, {"GPipe", 3, 0, 2, 20}});
    CHECK_THAT(verdict(all).text(), Catch::StartsWith("GPipe is 13.6 % longer than 1F1B (+3.0 ms"));
    all.runs.push_back(run({"x", 9, 9, 9, 20}));
    CHECK_THAT(verdict(all).text(),
               Catch::StartsWith("1F1B is 12.0 % shorter than GPipe (−3.0 ms"));
}

TEST_CASE("two first runs that cannot be distinguished leave no clear winner")
{
    Comparison all = comparison({{"1F1B", 5, 0, 5, 20}, {"a", 1, 0, 1, 20}, {"b", 2, 0, 1, 20}});
    for (ComparedRun& one : all.runs)
        setInterval(one, one.time() / kMs - 1, one.time() / kMs + 1);
    const Verdict first = verdict(all);
    CHECK(first.kind == Verdict::Kind::Unclear);
    CHECK_THAT(first.text(),
               Catch::StartsWith("No clear winner: a and b are not distinguishable (−1.0 ms, 95 % "
                                 "interval −2.4 to +0.4)"));
    CHECK_THAT(first.text(), Catch::Contains(". a is 26.7 % shorter than 1F1B (−8.0 ms"));
}

TEST_CASE("a single run has no verdict")
{
    CHECK(verdict(comparison({{"1F1B", 1, 0, 1, 20}})).text() == "1F1B is the only run.");
}

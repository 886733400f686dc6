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
    one.meanBubble = static_cast<double>(device.bubble);
    one.meanCompute = static_cast<double>(device.compute);
    one.meanExposed = static_cast<double>(device.exposedCommunication);
    one.peakBytes = given.peak * kMiB;
    return one;
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

TEST_CASE("neighbours whose intervals all overlap are tied, a chain of overlaps is not")
{
    Comparison all = comparison(
        {{"a", 0, 0, 0, 10}, {"b", 0, 0, 0, 11}, {"c", 0, 0, 0, 12}, {"d", 0, 0, 0, 20}});
    all.runs[0].interval = Interval{9 * kMs, 11 * kMs};
    all.runs[1].interval = Interval{10 * kMs, 12 * kMs};
    all.runs[2].interval = Interval{11 * kMs + 1, 13 * kMs}; // not that of a
    all.runs[3].interval = Interval{19 * kMs, 21 * kMs};
    CHECK(rankRuns(all, RankBy::Iteration).ties == std::vector<Ranking::Tie>{{0, 1}});
    CHECK(rankRuns(all, RankBy::Peak).ties.empty());
}

TEST_CASE("iterations of different numbers of tokens are ranked by the time per token")
{
    Comparison all = comparison({{"small", 0, 0, 0, 10}, {"large", 0, 0, 0, 18}});
    all.runs[0].tokensPerIteration = 100;
    CHECK(rankRuns(all, RankBy::Iteration).order == Order{0, 1}); // unknown tokens: by time
    all.runs[1].tokensPerIteration = 200;
    const Ranking ranking = rankRuns(all, RankBy::Iteration);
    CHECK(ranking.isPerToken);
    CHECK(ranking.order == Order{1, 0});
    // Its iteration is longer than that of the baseline.
    CHECK(whyFirst(all, ranking).sentence == "large takes 10.0 % less time per token than small.");
    CHECK(whyFirst(all, ranking).isClear);
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

TEST_CASE("the reason of rank 1 names what shrinks against the baseline and what it costs")
{
    const Comparison all
        = comparison({{"1F1B", 5, 1, 6, 20, 8}, {"ZB-V", 2, 1, 0, 20, 12, 1}, {"x", 5, 1, 5, 20}});
    const WinReason reason = whyFirst(all, rankRuns(all, RankBy::Iteration));
    CHECK(reason.isClear);
    CHECK(reason.sentence
          == "ZB-V is 8.0 ms (25.0 %) shorter than 1F1B because it has 6.0 ms less drain and 3.0 "
             "ms less fill at the cost of 1.0 ms more exposed communication and 4.0 MiB more "
             "memory.");
    CHECK(reason.numbers == "drain 6.0 → 0.0 ms, fill 5.0 → 2.0 ms against 1F1B");
}

TEST_CASE("a baseline on rank 1 is compared with the next run")
{
    const Comparison all = comparison({{"1F1B", 1, 0, 1, 20}, {"GPipe", 3, 0, 2, 20}});
    CHECK(whyFirst(all, rankRuns(all, RankBy::Iteration)).sentence
          == "1F1B is 3.0 ms (12.0 %) shorter than the next run, GPipe, because it has 2.0 ms less "
             "fill and 1.0 ms less drain.");
}

TEST_CASE("overlapping intervals of the first two runs leave no clear winner")
{
    Comparison all = comparison({{"1F1B", 5, 0, 5, 20}, {"a", 1, 0, 1, 20}, {"b", 2, 0, 1, 20}});
    for (ComparedRun& one : all.runs)
        one.interval = Interval{one.metrics.duration - 2 * kMs, one.metrics.duration + 2 * kMs};
    const WinReason reason = whyFirst(all, rankRuns(all, RankBy::Iteration));
    CHECK_FALSE(reason.isClear);
    CHECK_THAT(reason.sentence,
               Catch::StartsWith("No clear winner: a and b are not distinguishable. a is 8.0 ms"));
}

TEST_CASE("a single run has no reason to win")
{
    const Comparison all = comparison({{"1F1B", 1, 0, 1, 20}});
    CHECK(whyFirst(all, rankRuns(all, RankBy::Iteration)).sentence.empty());
}

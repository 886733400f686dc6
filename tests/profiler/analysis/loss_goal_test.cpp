#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "profiler/analysis/loss_goal.h"
#include "tests/catch.h"

using namespace engine;
using namespace profiler;

namespace {

// A run of `scheme` whose micro-batches had these losses, N at a time.
Run runOf(std::string scheme, int microBatches, const std::vector<float>& losses, int windows = 1)
{
    ScheduleRequest request;
    request.scheme = std::move(scheme);
    request.devices = 2;
    request.microBatches = microBatches;
    request.windows = windows;
    Run run;
    run.schedule = lower(buildSchedule(request).value());
    run.info.tokensPerIteration = 100 * microBatches;
    const auto count = static_cast<std::size_t>(microBatches);
    for (std::size_t first = 0; first < losses.size(); first += count) {
        Iteration iteration;
        const auto begin = losses.begin() + static_cast<std::ptrdiff_t>(first);
        iteration.microBatchLoss.assign(begin, begin + microBatches);
        iteration.loss = 0;
        for (const float loss : iteration.microBatchLoss)
            *iteration.loss += static_cast<double>(loss) / microBatches;
        run.timeline.iterations.push_back(iteration);
    }
    Iteration replay;
    replay.kind = Iteration::Kind::Replay;
    run.timeline.iterations.push_back(replay);
    return run;
}

} // namespace

TEST_CASE("a loss is reached with the micro-batch whose window's mean is low enough")
{
    const Run run = runOf("1f1b", 2, {8, 6, 4, 2, 2, 2});
    CHECK(reached(run, {4, 2})->microBatches == 4); // (4 + 2) / 2 = 3; (6 + 4) / 2 = 5
    CHECK(reached(run, {5, 2})->microBatches == 3);
    CHECK(reached(run, {5, 2})->iterations == 2);
    CHECK(reached(run, {5, 2})->updates == 1);
    CHECK(reached(run, {5, 2})->tokens == 300);
    CHECK(reached(run, {8, 1})->updates == 0);
    CHECK_FALSE(reached(run, {1.9, 2}));
}

TEST_CASE("an asynchronous window makes many updates")
{
    const std::vector<float> losses{8, 7, 6, 5, 4, 3, 2, 1};
    CHECK(reached(runOf("pipedream", 4, losses), {3, 1})->updates == 5);
    CHECK(reached(runOf("pipedream-2bw", 4, losses), {3, 1})->updates == 2);
    // The updates of all windows counted as those of one.
    CHECK(reached(runOf("pipedream", 4, losses, 2), {3, 1})->updates == 5);
    CHECK(reached(runOf("pipedream-2bw", 4, losses, 2), {3, 1})->updates == 2);
    CHECK(reached(runOf("1f1b", 4, losses), {3, 1})->updates == 1);
    CHECK(reached(runOf("chimera", 4, losses), {3, 1})->updates == 1); // of two replicas at once
}

TEST_CASE("the micro-batches of all data-parallel copies count")
{
    Run two = runOf("1f1b", 4, {8, 7, 6, 5, 4, 3, 2, 1}); // two copies, two each
    two.schedule.shape.microBatches = 2;
    two.schedule.shape.dataParallel = 2;
    const Run one = runOf("1f1b", 4, {8, 7, 6, 5, 4, 3, 2, 1});
    for (const double loss : {7.0, 4.0, 1.0}) {
        CHECK(reached(two, {loss, 1})->iterations == reached(one, {loss, 1})->iterations);
        CHECK(reached(two, {loss, 1})->updates == reached(one, {loss, 1})->updates);
        CHECK(reached(two, {loss, 1})->tokens == reached(one, {loss, 1})->tokens);
    }
}

TEST_CASE("the best common loss is the best of the run that gets least far")
{
    const Run far = runOf("1f1b", 2, {8, 6, 4, 2}), less = runOf("gpipe", 2, {8, 6, 5, 5});
    const auto goal = bestCommonLoss({&far, &less});
    REQUIRE(goal);
    CHECK(goal->window == 4); // both have no more
    CHECK(goal->loss == 6);   // the mean of all four of `less`
    CHECK(bestCommonLoss({&less, &far})->loss == 6);
    CHECK(reached(far, *goal)->microBatches == 4);
    CHECK(reached(less, *goal)->microBatches == 4);
}

// 61,568 tokens of one run were compared with 62,464 of the other.
TEST_CASE("runs with different micro-batch sizes are compared after the same tokens")
{
    const Run small = runOf("1f1b", 4, {8, 6, 6, 4, 3, 1, 1, 1});
    Run large = runOf("bpipe", 2, {7, 5, 2, 1}); // the same samples, two sequences at a time
    large.info.tokensPerIteration = 400;
    const auto goal = bestCommonLoss({&small, &large});
    REQUIRE(goal);
    CHECK(goal->tokens == 200);
    CHECK(goal->window == 4);
    CHECK(goal->loss == 3.75);
    const LossGoal two{3.5, 2, 200};
    CHECK(reached(small, two)->tokens == 600); // (5 + 2) / 2
    CHECK(reached(large, two)->tokens == 600);
    CHECK(reached(small, two)->microBatches == 6);
    CHECK(reached(large, two)->microBatches == 3);
}

TEST_CASE("a simulated run has no loss to reach")
{
    Run simulated = runOf("1f1b", 2, {});
    const Run trained = runOf("1f1b", 2, {3, 2});
    CHECK_FALSE(bestCommonLoss({&simulated, &trained}));
    CHECK_FALSE(lossGoal({&simulated}, 2));
}

TEST_CASE("without times of micro-batches, the means of the iterations are used")
{
    Run run = runOf("1f1b", 2, {8, 8, 4, 4});
    for (Iteration& iteration : run.timeline.iterations)
        iteration.microBatchLoss.clear();
    CHECK(reached(run, {6, 2})->microBatches == 3);
}

#include "profiler/whatif/stage_times.h"
#include "tests/catch.h"

using namespace engine;
using namespace profiler;

namespace {

MeasuredTimes twoStages()
{
    MeasuredTimes times;
    times.stages.resize(2);
    for (StageTimes& stage : times.stages) {
        stage.forward.times = {900, 1000, 1200};
        stage.backward.times = {2000};
    }
    times.assumptions.emplace_back(kHalvesAssumed);
    return times;
}

} // namespace

TEST_CASE("an edited median moves the times of one kind of one stage and keeps their spread")
{
    MeasuredTimes times = twoStages();
    const double spread = times.stages[StageId{1}].forward.spread();
    REQUIRE(setMedian(times, StageId{1}, OpKind::Forward, 500));
    CHECK(times.stages[StageId{1}].forward.times == std::vector<std::int64_t>{450, 500, 600});
    CHECK(times.stages[StageId{1}].forward.spread() == Approx(spread));
    CHECK(times.stages[StageId{0}].forward.median() == 1000);
    CHECK(times.stages[StageId{1}].backward.median() == 2000);
}

TEST_CASE("a time that was not measured cannot be edited")
{
    struct Wrong
    {
        int stage;
        OpKind kind;
        std::int64_t time;
        std::string reason;
    };
    MeasuredTimes times = twoStages();
    for (const Wrong& wrong :
         {Wrong{2, OpKind::Forward, 1, "the run has no stage 2; give a stage from 0 to 1"},
          Wrong{0, OpKind::BackwardWeight, 1, "the run has no measured W of stage 0"},
          Wrong{0, OpKind::OptimizerStep, 1, "the run has no measured OPT of stage 0"},
          Wrong{0, OpKind::Forward, 0, "0 ns is not a duration of F; give a positive one"}})
        CHECK(setMedian(times, StageId{wrong.stage}, wrong.kind, wrong.time).error().message
              == wrong.reason);
}

TEST_CASE("the share of W in B can be given if it was not measured")
{
    MeasuredTimes times = twoStages();
    REQUIRE(setWeightShare(times, 0.3));
    CHECK(times.inputShare == Approx(0.7));
    CHECK(times.assumptions
          == std::vector<std::string>{"The run has only B; W is assumed to be 30.0 % of it."});
    CHECK_FALSE(setWeightShare(times, 1.1));
    times.backwardIsSplit = true;
    CHECK(setWeightShare(times, 0.3).error().message.find("was measured") != std::string::npos);
}

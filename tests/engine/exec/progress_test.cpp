#include "engine/base/clock.h"
#include "engine/exec/run_experiment.h"
#include "tests/catch.h"
#include "tests/support/small_training.h"

#include <utility>

using namespace engine;

// Emulation counted the ops of the first pipeline only.
TEST_CASE("the progress of a run counts the ops of all data-parallel pipelines")
{
    Experiment experiment;
    experiment.schedule.scheme = "1f1b";
    experiment.schedule.devices = experiment.schedule.microBatches = 2;
    experiment.schedule.dataParallel = 2;
    experiment.model = tests::narrowModel(4);
    experiment.iterations = 1;
    experiment.warmup = 0;
    OpsDone last;
    RunObserver observer;
    observer.progress = [&](const OpsDone& at) { last = at; };
    observer.launches.begin = [isFirst = true](OpOfIteration) mutable {
        constexpr std::int64_t kLonger = 60'000'000; // than 50 ms, the interval of the reports
        const std::int64_t end = std::exchange(isFirst, false) ? wallTime() + kLonger : 0;
        while (wallTime() < end) { }
    };
    const auto run = tests::runOf(experiment, observer);
    REQUIRE(run);
    CHECK(last.ops == 2 * opCount(run->schedule));
    CHECK(last.done % 2 == 0);
}

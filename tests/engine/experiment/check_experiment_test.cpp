#include "engine/experiment/check_experiment.h"
#include "tests/catch.h"
#include "tests/support/text_schedule.h"

using namespace engine;
using Catch::Contains;

namespace {

std::string refusal(const Schedule& schedule)
{
    const auto runnable = checkRunnable(lower(schedule));
    return runnable ? std::string() : runnable.error().message;
}

Schedule withHalves(Schedule schedule)
{
    for (auto& program : schedule.program)
        for (Op& op : program)
            if (op.slice != Op::kWhole)
                op.flags = OpFlag::Half;
    return schedule;
}

} // namespace

// Whole micro-batches were trained as if their slices were independent samples, and an EVICT moved
// the stash of the first slice or half only.
TEST_CASE("slices are not trained beside whole micro-batches, nor slices or halves with evicts")
{
    const std::string sliced = "0F0.0 0F0.1 0B0.1 0B0.0 ";
    CHECK(refusal(tests::scheduleFrom({sliced})).empty());
    CHECK_THAT(refusal(tests::scheduleFrom({sliced + "0F1 0B1.1 0B1.0"})),
               Contains("0F1 runs a whole micro-batch") && Contains("with 0F1.0 to 0F1.1"));
    CHECK_THAT(refusal(tests::scheduleFrom({sliced + "0F1.0 0F1.1 0I1 0W1"})),
               Contains("0I1 runs a whole micro-batch"));
    CHECK_THAT(refusal(tests::scheduleFrom(
                   {"0F0.0 0F0.1 0EVICT0.0 0LOAD0.0 0B0.1 0B0.0", "1F0.0 1F0.1 1B0.1 1B0.0"})),
               Contains("0EVICT0.0 moves a stash"));

    const std::string last = "1F0 1B0.0 1B0.1 1F1 1B1";
    CHECK(refusal(withHalves(tests::scheduleFrom({"0F0 0B0.0 0B0.1 0F1 0B1", last}))).empty());
    CHECK_THAT(
        refusal(withHalves(tests::scheduleFrom({"0F0 0EVICT0 0LOAD0 0B0.0 0B0.1 0F1 0B1", last}))),
        Contains("0EVICT0 moves a stash"));
    CHECK(refusal(tests::scheduleFrom({"0F0 0EVICT0 0LOAD0 0B0", "1F0 1B0"})).empty());
}

TEST_CASE("sharded weights are simulated and not trained")
{
    CHECK_THAT(refusal(tests::scheduleFrom({"0UNSHARD 0F0 0B0 0RESHARD"})),
               Contains("UNSHARD and RESHARD") && Contains("bscope simulate"));
}

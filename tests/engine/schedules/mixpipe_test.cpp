#include "engine/schedule/check/validate.h"
#include "tests/support/measured.h"

#include <random>

using namespace engine;
using namespace tests;

namespace {

using Options = std::map<std::string, std::string, std::less<>>;

double peakOf(const Measured& mixpipe)
{
    return *std::ranges::max_element(mixpipe.peakStash);
}

// The most micro-batches of one direction that are under way on its first device.
int mostUnderWay(const Schedule& schedule, int replica)
{
    int underWay = 0;
    int most = 0;
    for (const Op& op : schedule.on(schedule.device(replica, StageId{0}))) {
        if (op.replica != replica || op.stage.value != 0)
            continue;
        underWay += op.kind == OpKind::Forward ? 1 : -1;
        most = std::max(most, underWay);
    }
    return most;
}

} // namespace

TEST_CASE("MixPipe (approximate): makespan 29, 65, 123 with a stash of D, 110 with 12")
{
    for (const auto& [devices, microBatches, makespan] :
         {std::tuple{4, 8, 29}, {8, 16, 65}, {8, 32, 123}}) {
        INFO("D=" << devices << " N=" << microBatches);
        const Measured mixpipe = measured(scheduleOf("mixpipe", devices, microBatches));
        CHECK(mixpipe.iteration == makespan);
        CHECK(peakOf(mixpipe) == devices);
    }
    const Measured open = measured(scheduleOf("mixpipe", 8, 32, {{"inject", "14"}, {"cap", "0"}}));
    CHECK(open.iteration == 110);
    CHECK(peakOf(open) == 12);
}

TEST_CASE("MixPipe respects its cap and its injection for every D and N")
{
    std::mt19937 random(20230709);
    const auto upTo
        = [&random](int most) { return std::uniform_int_distribution<int>(1, most)(random); };
    for (int round = 0; round < 80; ++round) {
        const int devices = 2 * upTo(round < 70 ? 8 : 32);
        const int microBatches = 2 * upTo(4 * devices);
        const int inject = 1 + upTo(2 * devices);
        const int cap = devices + upTo(8) - 1;
        INFO("D=" << devices << " N=" << microBatches << " K=" << inject << " cap=" << cap);
        const Options options{{"inject", std::to_string(inject)}, {"cap", std::to_string(cap)}};
        const Schedule schedule = scheduleOf("mixpipe", devices, microBatches, options);
        CHECK(validate(lower(schedule)).empty());
        const Measured mixpipe = measured(schedule);
        CHECK(mixpipe.messages == 2 * microBatches * (devices - 1));
        CHECK(mixpipe.localCopies == 0);
        CHECK(mixpipe.weights == std::vector<double>(static_cast<std::size_t>(devices), 2));
        CHECK(peakOf(mixpipe) <= cap);
        for (const int replica : {0, 1})
            CHECK(mostUnderWay(schedule, replica) <= inject / 2);
    }
}

TEST_CASE("the cap of MixPipe is raised if every device would be blocked")
{
    for (const int cap : {1, 2, 3}) {
        const Schedule schedule
            = scheduleOf("mixpipe", 6, 26, {{"inject", "8"}, {"cap", std::to_string(cap)}});
        CHECK(validate(lower(schedule)).empty());
        CHECK(peakOf(measured(schedule)) > cap);
        CHECK(peakOf(measured(schedule)) <= cap + 2);
    }
}

TEST_CASE("MixPipe states that it is approximate, and its valid numbers")
{
    CHECK(findScheme("mixpipe")->summary.find("approximation") != std::string_view::npos);
    CHECK(buildSchedule(requestOf("mixpipe", 5, 4)).error().message
          == "mixpipe needs an even number of devices, not 5; the nearest is 6");
    CHECK(
        buildSchedule(requestOf("mixpipe", 4, 7)).error().message
        == "mixpipe needs a number of micro-batches that is a multiple of the directions (2), not "
           "7; the nearest is 8");
}

#include "engine/sim/simulate.h"
#include "tests/support/pipelines.h"

using namespace engine;
using namespace tests;

namespace {

constexpr int kDevices[] = {2, 3, 4, 5, 8, 13, 16, 32, 64};

} // namespace

TEST_CASE("the GPipe and 1F1B iterations last 3N + 3(D-1), so their bubble is (D-1)/(N+D-1)")
{
    for (const std::string scheme : {"gpipe", "1f1b"})
        for (const int devices : kDevices)
            for (const int microBatches : {1, 2, devices, 2 * devices + 1, 4 * devices}) {
                INFO(scheme << " D=" << devices << " N=" << microBatches);
                CHECK(simulated(scheduleOf(scheme, devices, microBatches)).iteration()
                      == 3 * microBatches + 3 * (devices - 1));
            }
}

TEST_CASE("the BitPipe iteration lasts 3N + (D-2)(K+1)/2, so its bubble at N = D is "
          "(D-2)/(3N+D-2)")
{
    for (const int devices : {2, 4, 6, 8, 10, 16, 32, 64})
        for (const int units : {1, 2, 3, 8}) {
            const int microBatches = units * devices;
            INFO("D=" << devices << " N=" << microBatches);
            CHECK(simulated(scheduleOf("bitpipe", devices, microBatches)).iteration()
                  == 3 * microBatches + (devices - 2) * (units + 1) / 2.0);
        }
}

TEST_CASE("BitPipe on four devices with four micro-batches has the numbers of the contract")
{
    const Simulated run = simulated(scheduleOf("bitpipe", 4, 4));
    CHECK(run.iteration() == 14);
    CHECK(run.span(0) == 14);
    CHECK(run.span(1) == 12.5);
    CHECK(run.span(2) == 12.5);
    CHECK(run.span(3) == 14);
    CHECK(messagesSent(run.schedule) == std::vector<int>{8, 16, 16, 8});
    CHECK(localCopies(run.schedule) == std::vector<int>{4, 0, 0, 4});
}

#include "engine/schedule/check/stash.h"
#include "engine/schedule/check/validate.h"
#include "tests/support/golden.h"
#include "tests/support/measured.h"

#include <random>

using namespace engine;
using namespace tests;

namespace {

Schedule bpipe(int devices, int microBatches, const char* policy)
{
    return scheduleOf("bpipe", devices, microBatches, {{"policy", policy}});
}

UnitCosts withTransfer(Fraction transfer)
{
    UnitCosts costs;
    costs.transfer = transfer;
    return costs;
}

std::vector<int> evictsOf(const Schedule& schedule)
{
    std::vector<int> evicts;
    for (const auto& ops : schedule.program)
        evicts.push_back(static_cast<int>(std::ranges::count(ops, OpKind::Evict, &Op::kind)));
    return evicts;
}

// The compute ops alone.
std::vector<std::vector<Op>> computeOf(const Schedule& schedule)
{
    std::vector<std::vector<Op>> programs;
    for (const auto& ops : schedule.program) {
        auto& out = programs.emplace_back();
        std::ranges::copy_if(ops, std::back_inserter(out),
                             [](const Op& op) { return isCompute(op.kind); });
    }
    return programs;
}

std::vector<int> bpipeMicroBatches(int devices, std::mt19937& random)
{
    std::vector<int> counts{1, devices - 1, devices, devices + 1, 2 * devices};
    std::uniform_int_distribution<int> any(1, (devices < 24 ? 8 : 3) * devices);
    for (int i = 0; i < (devices < 24 ? 4 : 1); ++i)
        counts.push_back(any(random));
    return counts;
}

} // namespace

TEST_CASE("BPipe holds at most ceil((D+2)/2) on every device at every instant, and is as long as "
          "1F1B")
{
    std::mt19937 random(20230723);
    for (int devices = 2; devices <= 64; ++devices)
        for (const int microBatches : bpipeMicroBatches(devices, random)) {
            const bool lazy = random() % 2 == 0;
            const Fraction transfer{static_cast<std::int64_t>(random() % 3), 2}; // 0, 1/2, 1
            INFO("D=" << devices << " N=" << microBatches << (lazy ? " lazy" : " steady")
                      << " transfer " << transfer.value());
            const Schedule schedule = bpipe(devices, microBatches, lazy ? "lazy" : "steady");
            const Measured run = measured(schedule, withTransfer(transfer));
            CHECK(std::ranges::max(run.peakStash) <= (devices + 3) / 2);
            CHECK(run.iteration == 3.0 * microBatches + 3.0 * (devices - 1));
            CHECK(run.messages == 2 * microBatches * (devices - 1));
            CHECK(run.weights == std::vector<double>(static_cast<std::size_t>(devices), 1));
            CHECK(computeOf(schedule) == scheduleOf("1f1b", devices, microBatches).program);
            if (devices < 24)
                CHECK(validate(lower(schedule)).empty());
        }
}

TEST_CASE("no device ever holds more than ceil((D+2)/2), however long transfers and stages take")
{
    std::mt19937 random(20240117);
    const auto cost = [&random](int most) {
        return Fraction{static_cast<std::int64_t>(random() % (4 * static_cast<unsigned>(most))) + 1,
                        4};
    };
    for (int round = 0; round < 120; ++round) {
        const int devices = 2 + static_cast<int>(random() % 15);
        const int microBatches
            = 1 + static_cast<int>(random() % (5u * static_cast<unsigned>(devices)));
        const Schedule schedule
            = bpipe(devices, microBatches, random() % 2 == 0 ? "lazy" : "steady");
        UnitCosts costs = withTransfer(cost(random() % 2 == 0 ? 2 : 9));
        costs.p2p = cost(1);
        costs.latency = cost(2);
        for (int stage = 0; stage < devices; ++stage)
            costs.stages.push_back({stage, cost(3), cost(5)});
        costs.devicesPerNode = 1 + static_cast<int>(random() % static_cast<unsigned>(devices));
        costs.transferAcross = cost(12);
        costs.rules.jitter = {static_cast<std::int64_t>(random() % 3), 4};
        costs.rules.seed = random();
        INFO("round " << round << ", D=" << devices << " N=" << microBatches);
        const Measured run = measured(schedule, costs);
        const std::vector<StashPeak> byOrder = stashPeaks(schedule);
        for (std::size_t d = 0; d < run.peakStash.size(); ++d) {
            INFO("device " << d);
            CHECK(run.peakStash[d] <= (devices + 3) / 2);
            CHECK(run.peakStash[d] * static_cast<double>(stashPartsPerActivation(schedule.shape))
                  <= static_cast<double>(byOrder[d].own + byOrder[d].guests));
        }
    }
}

TEST_CASE("eight devices share 8 7 6 5 4 3 2 1 stashes: 5 5 5 5 4 5 5 5, lazily with fewer trips")
{
    const Schedule lazy = bpipe(8, 128, "lazy");
    const Schedule steady = bpipe(8, 128, "steady");
    const std::vector<double> peaks{5, 5, 5, 5, 4, 5, 5, 5};
    for (const Fraction transfer : {Fraction{0}, Fraction{1}}) {
        CHECK(measured(lazy, withTransfer(transfer)).peakStash == peaks);
        CHECK(measured(steady, withTransfer(transfer)).peakStash == peaks);
    }
    CHECK(evictsOf(lazy) == std::vector<int>{63, 50, 31, 0, 0, 0, 0, 0});
    CHECK(evictsOf(steady) == std::vector<int>{72, 63, 50, 0, 0, 0, 0, 0});
}

TEST_CASE("a transfer longer than a forward is exposed")
{
    const Schedule schedule = bpipe(8, 32, "lazy");
    CHECK(measured(schedule, withTransfer({1})).iteration == 117);
    CHECK(measured(schedule, withTransfer({2})).iteration > 117);
}

TEST_CASE("device d evicts to D-1-d, and the middle device evicts nothing")
{
    for (const int devices : {5, 8, 9}) {
        const Schedule schedule = bpipe(devices, 4 * devices, "steady");
        for (int d = 0; d < devices; ++d)
            for (const Op& op : schedule.on(DeviceId{d})) {
                if (!isCopy(op.kind))
                    continue;
                CHECK(d < devices / 2);
                CHECK(op.peer == devices - 1 - d);
            }
    }
}

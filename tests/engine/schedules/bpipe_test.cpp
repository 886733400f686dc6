#include "engine/schedule/validate.h"
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

std::vector<int> microBatchesFor(int devices, std::mt19937& random)
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
        for (const int microBatches : microBatchesFor(devices, random)) {
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

TEST_CASE("evicts go from device d to D-1-d, and the one in the middle keeps its own")
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

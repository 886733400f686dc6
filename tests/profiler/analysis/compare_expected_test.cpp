#include "engine/schedule/passes/passes.h"
#include "engine/schedule/transfers.h"
#include "engine/schedules/scheme.h"
#include "engine/sim/simulate.h"
#include "profiler/analysis/compare_expected.h"
#include "tests/catch.h"

#include <array>

using namespace engine;
using namespace profiler;

namespace {

// 1F1B of four devices in ns: F 1000, B 2000, message 100 + latency 10, then `change` is applied.
template<class Change>
Run timed(Change change)
{
    ScheduleRequest request;
    request.scheme = "1f1b";
    Run run;
    run.schedule = lower(buildSchedule(request).value());
    run.info.mode = Mode::Simulate;
    OpCosts costs;
    for (const DeviceId d : run.schedule.program.ids()) {
        costs.of.push_back({});
        for (const Op& op : run.schedule.program[d]) {
            OpCosts::Cost cost;
            cost.duration = op.kind == OpKind::Forward ? 1000
                : op.kind == OpKind::Backward          ? 2000
                : isSend(op.kind)                      ? 100
                                                       : 0;
            cost.latency = isSend(op.kind) ? 10 : 0;
            change(d, op, cost);
            costs.of.back().push_back(cost);
        }
    }
    run.timeline = simulate(run.schedule, costs).value();
    return run;
}

Run plain()
{
    return timed([](DeviceId, const Op&, OpCosts::Cost&) {});
}

const KindTimes& row(const ExpectedComparison& comparison, const char* title)
{
    const auto found = std::ranges::find(comparison.kinds, title, &KindTimes::title);
    REQUIRE(found != comparison.kinds.end());
    return *found;
}

} // namespace

TEST_CASE("a device that computes longer than expected is slow, although all are slower")
{
    const Run expected = plain();
    const Run measured = timed([](DeviceId d, const Op& op, OpCosts::Cost& cost) {
        if (isCompute(op.kind))
            cost.duration = cost.duration * (d.value == 2 ? 12 : 11) / 10;
    });
    const std::array<const Run*, 2> runs{&expected, &measured};
    const auto comparison = compareExpected(runs).value();
    REQUIRE(comparison.devices.size() == 4);
    for (const DeviceTimes& device : comparison.devices) {
        CHECK(device.isSlow == (device.device.value == 2));
        CHECK(device.factor == Approx(device.device.value == 2 ? 12.0 / 11 : 1));
    }
    CHECK(row(comparison, "F").times[0] == Approx(8 * 1000));
    CHECK(row(comparison, "F").times[1] == Approx(8 * 1000 * (3 * 1.1 + 1.2) / 4));
    CHECK(row(comparison, "F").op == OpKind::Forward);
    CHECK(comparison.iterations[1] > comparison.iterations[0]);
}

TEST_CASE("the link whose messages take longer than expected comes first")
{
    const Run expected = plain();
    const Run measured = timed([](DeviceId d, const Op& op, OpCosts::Cost& cost) {
        if (isSend(op.kind) && d.value == 1 && op.peer == 2)
            cost.duration = 500;
    });
    const std::array<const Run*, 3> runs{&expected, &expected, &measured};
    const auto comparison = compareExpected(runs).value();
    REQUIRE(comparison.links.size() == 6);
    CHECK(comparison.links.front().from == DeviceId{1});
    CHECK(comparison.links.front().to == DeviceId{2});
    CHECK(comparison.links.front().messages == 8);
    CHECK(comparison.links.front().expected == 110);
    CHECK(comparison.links.front().measured == 510);
    CHECK(comparison.links.back().measured == 110);
    const KindTimes& messages = row(comparison, "messages, exposed");
    REQUIRE(messages.times.size() == 3);
    CHECK(messages.times[0] == messages.times[1]);
    CHECK(messages.times[2] > messages.times[0]);
}

TEST_CASE("kinds, exposed communication and bubble add up to the iteration")
{
    const Run run = plain();
    const std::array<const Run*, 2> runs{&run, &run};
    const auto comparison = compareExpected(runs).value();
    double sum = 0;
    for (const KindTimes& kind : comparison.kinds)
        sum += kind.times[1];
    CHECK(sum == Approx(comparison.iterations[1]));
}

TEST_CASE("runs in abstract units, and a run without an expectation, are refused")
{
    const Run run = plain();
    Run units = run;
    units.info.ticksPerUnit = 12;
    units.info.label = "1F1B";
    const std::array<const Run*, 2> runs{&units, &run};
    const auto refused = compareExpected(runs);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message == "1F1B is in abstract units and has no times to compare");
    CHECK_FALSE(compareExpected(std::span(runs).subspan(1)));
}

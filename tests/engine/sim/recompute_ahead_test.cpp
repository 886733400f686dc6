#include "engine/schedule/check/stash.h"
#include "engine/schedule/check/validate.h"
#include "engine/sim/recompute_ahead.h"
#include "tests/support/pipelines.h"
#include "tests/support/text_schedule.h"

using namespace engine;
using namespace tests;

namespace {

Result<Schedule> movedAhead(const Schedule& order, const AheadOptions& options,
                            const UnitCosts& units = {})
{
    return recomputeAhead(order, options,
                          [&](const Schedule& lowered) { return unitOpCosts(lowered, units); });
}

std::string errorOf(const Schedule& order, const AheadOptions& options = {})
{
    const auto refused = movedAhead(order, options);
    REQUIRE_FALSE(refused);
    return refused.error().message;
}

// In M_a, of the fullest device.
double peakOf(const Schedule& order, double keeps)
{
    const auto summaries
        = summarize(order, *unitPrices(order.shape, {}), {.recomputeKeeps = keeps});
    REQUIRE(summaries);
    double peak = 0;
    for (const DeviceSummary& device : summaries->front().devices)
        peak = std::max(peak, device.peakStash);
    return peak / static_cast<double>(stashPartsPerActivation(order.shape));
}

Schedule withoutRecompute(Schedule order)
{
    for (auto& ops : order.program)
        std::erase_if(ops, [](const Op& op) { return op.kind == OpKind::Recompute; });
    return order;
}

const std::vector<std::string> kSchemes{"gpipe", "1f1b", "interleaved-1f1b", "chimera", "bitpipe",
                                        "zb-h1", "zb-v", "dualpipe",         "hanayo"};

// Stage 0 takes twice as long as stage 1, so its device has an idle time of 2 before its first B.
UnitCosts slowFirstStage()
{
    UnitCosts units;
    units.stages = {{0, {2}, {4}}};
    return units;
}

} // namespace

//             without moving                          with two activations
// device 0 |  F F 0.0. ...... B... 1.1. B...       |  F F 0.0. 1.1. B... B...     18 and 16 units
// Device 1 could repeat its first forward before its second one, which would gain nothing.
TEST_CASE("a RECOMPUTE moves into idle time where that shortens the iteration")
{
    const Schedule order = addRecompute(scheduleOf("gpipe", 2, 2));
    REQUIRE(simulated(order, slowFirstStage()).iteration() == 18);
    const auto moved = movedAhead(order, {.most = {2}}, slowFirstStage());
    REQUIRE(moved);
    CHECK(moved->program
          == scheduleFrom({"0F0 0F1 0RECOMPUTE0 0RECOMPUTE1 0B0 0B1",
                           "1F0 1F1 1RECOMPUTE0 1B0 1RECOMPUTE1 1B1"})
                 .program);
    CHECK(simulated(*moved, slowFirstStage()).iteration() == 16);
    CHECK(peakOf(order, 0) == 1);
    CHECK(peakOf(*moved, 0) == 2);
    CHECK(movedAhead(order, {}, slowFirstStage()) == order); // one activation is the peak
}

TEST_CASE("moved RECOMPUTE ops never lengthen an iteration nor exceed the limit")
{
    UnitCosts links;
    links.p2p = {1, 10};
    links.latency = {1, 4};
    UnitCosts blocking = links;
    blocking.rules.blockingSend = true;
    UnitCosts deferred = links;
    deferred.rules.receive = ReceiveRule::Deferred; // a RECV takes idle time that a move would use
    const UnitCosts uneven = slowFirstStage();
    int moves = 0;
    for (const std::string& scheme : kSchemes)
        for (const UnitCosts& units : {UnitCosts(), links, blocking, deferred, uneven})
            for (const double keeps : {0.0, 0.3})
                for (const int most : {0, 3, 64}) {
                    INFO(scheme << ", p2p " << units.p2p.value() << ", keeps " << keeps
                                << ", at most " << most);
                    const Schedule order = addRecompute(scheduleOf(scheme, 4, 8));
                    if (most > 0 && most < peakOf(order, keeps))
                        continue;
                    const auto moved = movedAhead(order, {{most}, keeps}, units);
                    REQUIRE(moved);
                    CHECK(simulated(*moved, units).iteration()
                          <= simulated(order, units).iteration());
                    CHECK(peakOf(*moved, keeps) <= (most > 0 ? most : peakOf(order, keeps)));
                    CHECK(validate(lower(*moved)).empty());
                    CHECK(withoutRecompute(*moved) == withoutRecompute(order));
                    moves += *moved == order ? 0 : 1;
                }
    CHECK(moves > 50);
}

TEST_CASE("an order whose RECOMPUTE ops cannot be moved soundly is refused")
{
    CHECK_THAT(errorOf(scheduleOf("1f1b", 4, 8)), Catch::Contains("add --recompute full"));
    CHECK_THAT(errorOf(addRecompute(scheduleOf("bpipe", 4, 8))),
               Catch::Contains("evicts stashes depends on times"));
    CHECK_THAT(errorOf(addRecompute(scheduleOf("pipedream", 4, 8))),
               Catch::Contains("asynchronous"));
    CHECK(errorOf(addRecompute(scheduleOf("gpipe", 4, 8)), {{3, 2}, 0.25})
          == "--recompute-ahead 1.5: a device holds 2.75 activations before any is moved; use 2.75 "
             "or more, or peak");
}

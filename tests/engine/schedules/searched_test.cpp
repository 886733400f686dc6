#include "engine/schedule/check/validate.h"
#include "tests/support/golden.h"
#include "tests/support/pipelines.h"

#include <functional>

using namespace engine;
using namespace tests;

// The schemes whose order is searched or squeezed rather than written down: no order is right, but
// none may be longer or hold more than the published generator's.
namespace {

struct Found
{
    double makespan = 0, span = 0;
    double peak = 0; // M_a, of the device that holds most
};

Found found(const Schedule& schedule, const UnitCosts& costs = {})
{
    const Simulated run = simulated(schedule, costs);
    Found result{run.iteration()};
    int most = 0;
    for (int d = 0; d < schedule.shape.devices; ++d) {
        result.span = std::max(result.span, run.span(d));
        int held = 0;
        for (const Op& op : schedule.on(DeviceId{d})) {
            held += op.kind == OpKind::Forward ? 1 : op.kind == OpKind::BackwardInput ? 0 : -1;
            most = std::max(most, held);
        }
    }
    result.peak = static_cast<double>(most) / schedule.shape.chunks();
    return result;
}

// The row of a scheme in the table of closed forms; D and N of the schedule.
struct SearchedRow
{
    std::string scheme;
    std::function<double(int devices)> bubbleTime; // makespan - 3N
    std::function<int(int devices, int microBatches)> peak;
    int fewest = 2; // devices from which the forms hold
};

std::vector<SearchedRow> rows()
{
    const auto vHalf = [](int d) { return d % 2 == 0 ? 1.5 * d - 3.5 : 1.5 * d - 2; };
    const auto vMin = [](int d) { return 2 * d - (d % 3 == 1 ? 2.5 : 3.5); };
    const auto vOneFOneB = [](int d) {
        return 2.5 * d - std::array{4.0, 2.5, 3.5}[static_cast<std::size_t>(d % 3)];
    };
    return {
        {"zb-1p", [](int d) { return d - 1.0; }, [](int d, int) { return d; }},
        {"zb-2p", [](int d) { return d - 1.0; }, [](int d, int n) { return std::min(n, 2 * d); }},
        {"v-half", vHalf, [](int d, int) { return d / 2 + 1; }, 3},
        {"v-min", vMin, [](int d, int) { return (d + 4) / 3; }},
        {"v-1f1b", vOneFOneB, [](int d, int) { return (2 * d + 2) / 3 + (d % 3 == 0 ? 1 : 0); }, 4},
    };
}

// Every size up to 8; on many devices those at which something begins or ends.
std::vector<int> searchedMicroBatches(int devices)
{
    std::vector<int> counts;
    for (int n = devices; n <= 8 * devices && devices <= 6; ++n)
        counts.push_back(n);
    if (counts.empty())
        counts = {devices, devices + 1, 2 * devices - 1, 2 * devices, 3 * devices + 1};
    return counts;
}

} // namespace

TEST_CASE("searched orders take no more time and memory than those of the published generators")
{
    for (const auto& [golden, scheme, suffix] :
         std::vector<std::array<std::string, 3>>{{"zb_1p", "zb-1p", ""},
                                                 {"zb_2p", "zb-2p", ""},
                                                 {"v_half", "v-half", "_v2"},
                                                 {"v_min", "v-min", "_v2"},
                                                 {"v_1f1b", "v-1f1b", "_v2"}})
        for (const int microBatches : {4, 8}) {
            const std::string file
                = golden + "/" + golden + "_d4_n" + std::to_string(microBatches) + suffix + ".csv";
            INFO(file);
            const Schedule schedule = scheduleOf(scheme, 4, microBatches);
            const Found published = found(goldenSchedule(file, schedule));
            const Found own = found(schedule);
            CHECK(own.makespan <= published.makespan);
            CHECK(own.span <= published.span);
            CHECK(own.peak <= published.peak);
        }
}

TEST_CASE("searched orders keep the closed forms of makespan and peak stash")
{
    for (const SearchedRow& row : rows())
        for (const int devices : {2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 25, 32, 47, 64}) {
            if (devices < row.fewest)
                continue;
            for (const int microBatches : searchedMicroBatches(devices)) {
                INFO(row.scheme << " D=" << devices << " N=" << microBatches);
                const Found own = found(scheduleOf(row.scheme, devices, microBatches));
                const double form = 3 * microBatches + row.bubbleTime(devices);
                CHECK(own.makespan <= form);
                CHECK(own.makespan >= form - 0.5); // 1F1B-V is half a unit better at some
                CHECK(own.peak <= row.peak(devices, microBatches));
                if (row.scheme == "zb-2p" && microBatches >= 2 * devices - 1)
                    CHECK(own.span == Approx(3 * microBatches));
            }
        }
}

TEST_CASE(
    "searched orders are complete and never stuck, with fewer micro-batches than devices, too")
{
    for (const SearchedRow& row : rows())
        for (int devices = 1; devices <= 9; ++devices)
            for (int microBatches = 1; microBatches <= devices + 1; ++microBatches) {
                INFO(row.scheme << " D=" << devices << " N=" << microBatches);
                const Schedule schedule = scheduleOf(row.scheme, devices, microBatches);
                CHECK(validate(lower(schedule)).empty());
                CHECK(found(schedule).peak <= std::min(microBatches, 2 * devices));
            }
}

TEST_CASE("one micro-batch on a V with split backward waits for nothing but the last two W")
{
    for (const int devices : {2, 3, 8})
        for (const std::string scheme : {"v-half", "v-min"})
            CHECK(found(scheduleOf(scheme, devices, 1)).makespan == 2 * devices + 0.5);
}

TEST_CASE("the schemes of controllable memory turn on the device: a local copy, 4N(D-1) messages")
{
    for (const std::string scheme : {"v-half", "v-min", "v-1f1b"})
        for (const auto& [devices, microBatches] : {std::pair{2, 5}, std::pair{7, 9}}) {
            const Schedule schedule = scheduleOf(scheme, devices, microBatches);
            int sent = 0;
            for (const int ofDevice : messagesSent(addP2P(schedule)))
                sent += ofDevice;
            CHECK(sent == 4 * microBatches * (devices - 1));
            CHECK(localCopies(schedule).back() == 2 * microBatches);
            CHECK(schedule.deviceOf.size() == 1);
        }
}

TEST_CASE("ZB-1P and ZB-2P look for the best order of the costs that are set")
{
    // What the published search reaches: time from first to last op at D = 4, N = 8.
    struct Case
    {
        std::string costs;
        int forward, input, weight;
        double onceMemory, twiceMemory;
    };
    for (const auto& [costs, forward, input, weight, onceMemory, twiceMemory] :
         std::vector<Case>{{"10:12:8", 10, 12, 8, 282, 270},
                           {"4:5:3", 4, 5, 3, 114, 108},
                           {"5:9:4", 5, 9, 4, 174, 160},
                           {"1:1:2", 1, 1, 2, 35, 35},
                           {"2:1:1", 2, 1, 1, 38, 38}})
        for (const auto& [scheme, published, memory] :
             {std::tuple{"zb-1p", onceMemory, 4}, std::tuple{"zb-2p", twiceMemory, 8}}) {
            INFO(scheme << " " << costs);
            UnitCosts unit;
            unit.forward = Fraction{forward};
            unit.inputGradient = Fraction{input};
            unit.weightGradient = Fraction{weight};
            const Found own = found(scheduleOf(scheme, 4, 8, {{"costs", costs}}), unit);
            CHECK(own.makespan <= published);
            CHECK(own.makespan <= found(scheduleOf(scheme, 4, 8), unit).makespan);
            CHECK(own.peak <= memory);
        }
}

TEST_CASE("of equally long orders the search selects the one with the shortest span")
{
    struct Case
    {
        const char *scheme, *costs;
        int devices, microBatches, forward, input, weight;
        double makespan, span;
    };
    for (const Case& each : {Case{"zb-2p", "4:5:3", 4, 8, 4, 5, 3, 108, 102},
                             Case{"zb-2p", "3:1:2", 6, 12, 3, 1, 2, 87, 72},
                             Case{"zb-1p", "3:1:2", 6, 12, 3, 1, 2, 87, 84}}) {
        INFO(each.scheme << ' ' << each.costs);
        UnitCosts unit;
        unit.forward = Fraction{each.forward};
        unit.inputGradient = Fraction{each.input};
        unit.weightGradient = Fraction{each.weight};
        const Found own = found(
            scheduleOf(each.scheme, each.devices, each.microBatches, {{"costs", each.costs}}),
            unit);
        CHECK(own.makespan == each.makespan);
        CHECK(own.span == each.span);
    }
}

TEST_CASE("costs are three positive integers")
{
    for (const std::string wrong : {"1:1", "1:0:1", "1:1:1:1", "", "1:1:", "a:b:c", "1:-1:1"}) {
        ScheduleRequest request = requestOf("zb-1p", 4, 8);
        request.options["costs"] = wrong;
        const auto schedule = buildSchedule(request);
        INFO(wrong);
        REQUIRE_FALSE(schedule);
        CHECK(schedule.error().message
              == "zb-1p does not accept costs=" + wrong
                  + "; write F:I:W, three integers from 1 to 1000000");
    }
    CHECK(scheduleOf("zb-2p", 4, 8, {{"costs", "1:1:1"}}) == scheduleOf("zb-2p", 4, 8));
    CHECK(scheduleOf("zb-2p", 4, 8, {{"costs", "7:7:7"}}).program
          == scheduleOf("zb-2p", 4, 8).program);
}

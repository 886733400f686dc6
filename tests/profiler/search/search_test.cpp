#include "engine/cost/op_prices.h"
#include "engine/schedule/formats/schedule_file.h"
#include "engine/schedule/passes/passes.h"
#include "engine/sim/simulate.h"
#include "profiler/analysis/measure.h"
#include "profiler/search/annealing.h"
#include "profiler/search/order_graph.h"
#include "profiler/search/search.h"
#include "tests/catch.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using namespace engine;
using namespace profiler;

namespace {

UnitCosts unequalCosts()
{
    UnitCosts costs;
    costs.inputGradient = {11, 10};
    costs.weightGradient = {7, 10};
    costs.backward = {18, 10};
    costs.p2p = {1, 10};
    costs.latency = {1, 20};
    costs.optimizer = {1, 5};
    costs.allReduce = {3, 10};
    return costs;
}

Schedule built(const std::string& scheme, int devices, int microBatches)
{
    ScheduleRequest request;
    request.scheme = scheme;
    request.devices = devices;
    request.microBatches = microBatches;
    return buildSchedule(request).value();
}

OrderGraph::Memory inParts(const Schedule& schedule)
{
    OrderGraph::Memory memory;
    memory.ofPart.resize(static_cast<std::size_t>(schedule.shape.stages), {1, 1});
    return memory;
}

Result<OrderGraph> graphOf(const Schedule& order, const UnitCosts& costs)
{
    const Schedule lowered = lower(order);
    return OrderGraph::of(lowered, unitOpCosts(lowered, costs).value(), inParts(order));
}

std::int64_t simulated(const Schedule& order, const UnitCosts& costs)
{
    const Schedule lowered = lower(order);
    return simulate(lowered, unitOpCosts(lowered, costs).value())
        .value()
        .iterations.front()
        .window.end;
}

SearchRequest requestFor(const std::string& scheme, int devices, int microBatches)
{
    SearchRequest request;
    request.prediction.schedule.devices = devices;
    request.prediction.schedule.microBatches = microBatches;
    request.prediction.costs = unequalCosts();
    if (!scheme.empty())
        request.schemes = {scheme};
    request.orders = 20000;
    return request;
}

Result<SearchResult> searched(const SearchRequest& request)
{
    const std::atomic<bool> stop{false};
    return search(
        request, costsOf(request.prediction).value(), [](const SearchProgress&) {}, stop);
}

} // namespace

TEST_CASE("an order takes as long in the graph as in the simulator")
{
    int checked = 0;
    for (const Scheme& scheme : schemes())
        for (const int microBatches : {4, 8}) {
            ScheduleRequest request;
            request.scheme = scheme.name;
            request.microBatches = microBatches;
            const auto order = buildSchedule(request);
            if (!order)
                continue;
            for (const bool blocks : {false, true}) {
                UnitCosts costs = unequalCosts();
                costs.rules.blockingSend = blocks;
                costs.rules.joint = {9, 10};
                const auto graph = graphOf(*order, costs);
                if (!graph) {
                    CHECK(graph.error().code == Error::Code::Unsupported);
                    continue;
                }
                CAPTURE(scheme.name, microBatches, blocks);
                Placing placing(*graph, {}, {});
                CHECK(placing.place(graph->start(), 0, OrderGraph::kNever - 1)
                      == simulated(*order, costs));
                CHECK(graph->scheduleOf(graph->start()).program == order->program);
                ++checked;
            }
        }
    CHECK(checked > 40);
}

TEST_CASE("an annealed order is valid, and as long as the simulator says")
{
    const auto [scheme, limit]
        = GENERATE(std::pair{"zb-v", 8}, std::pair{"bitpipe", 100}, std::pair{"1f1b", 8},
                   std::pair{"dualpipe", 100}, std::pair{"seq1f1b", 100}, std::pair{"gems", 100});
    CAPTURE(scheme);
    const Schedule order = built(scheme, 4, 8);
    const auto graph = graphOf(order, unequalCosts()).value();
    std::vector<std::int64_t> limits;
    for (int d = 0; d < 4; ++d)
        limits.push_back(limit * stashPartsPerActivation(order.shape) / 2);
    Annealing annealing(graph, graph.start(), {limits, 7});
    const std::int64_t start = annealing.best();
    annealing.run(20000, 0, 1);
    CHECK(annealing.best() <= start);
    const Schedule found = graph.scheduleOf(annealing.bestOrder());
    CHECK(validate(found).empty());
    CHECK(simulated(found, unequalCosts()) == annealing.best());
    CHECK(annealing.best() >= lowerBound(graph, limits));
    for (const StashPeak& peak : stashPeaks(found))
        CHECK(peak.own <= limits.front());
}

TEST_CASE("a list schedule with one micro-batch in flight needs the least memory")
{
    const auto graph = graphOf(built("zb-v", 4, 8), unequalCosts()).value();
    const auto order = listOrder(graph, {}, 1);
    REQUIRE(order.size() == graph.size());
    const Schedule one = graph.scheduleOf(order);
    CHECK(validate(one).empty());
    for (const StashPeak& peak : stashPeaks(one))
        CHECK(peak.own <= stashPartsPerActivation(one.shape));
    const std::vector<std::int64_t> tooLittle(4, 1);
    CHECK(listOrder(graph, tooLittle, 1).empty());
}

TEST_CASE("a search is never longer than the best published scheme that fits")
{
    SearchRequest request = requestFor("", 4, 8);
    request.prediction.schedule.chunks = 2;
    for (const double limit : {2.0, 3.0, 4.0, 100.0}) {
        CAPTURE(limit);
        request.limit = {false, {limit}};
        const auto result = searched(request).value();
        REQUIRE(result.bestPublished() != nullptr);
        CHECK(result.length() <= result.bestPublished()->length);
        CHECK(result.length() >= result.bound);
        CHECK(result.found.metrics.peakStash() <= limit);
        CHECK(validate(result.order).empty());
        CHECK(readCsv(writeCsv(result.order)).value().program == result.order.program);
    }
}

TEST_CASE("within V-Half's memory a search finds an order that is at least 5 % shorter")
{
    SearchRequest request = requestFor("", 8, 16);
    request.prediction.schedule.chunks = 2;
    request.limit = {false, {5}};
    request.orders = 100000;
    const auto result = searched(request).value();
    CHECK(result.bestPublished()->scheme == "v-half");
    CHECK(result.length() < 0.95 * result.bestPublished()->length);
    REQUIRE(result.differences.size() == 3);
    CHECK(result.moves.ends_with(" of 768 ops start at another time"));
    std::vector<std::string> changes; // of the ops
    for (const auto& [text, moved] : result.differences) {
        if (!moved)
            continue;
        const std::int64_t unit = result.found.run.info.ticksPerUnit;
        const auto by = moved->found.begin - moved->published.begin;
        changes.emplace_back(by < 0 ? "earlier" : "later");
        CHECK(result.publishedRun->run.info.ticksPerUnit == unit);
        CHECK(text
              == fmt::format("{} on device {} starts at {} instead of {}, {} {}", moved->op,
                             moved->device.value, timeNumber(moved->found.begin, unit),
                             timeText(moved->published.begin, unit), timeText(std::abs(by), unit),
                             changes.back()));
    }
    std::ranges::sort(changes);
    CHECK(changes == std::vector<std::string>{"earlier", "later"});
}

TEST_CASE("stage 0 starts the micro-batches of a found schedule in the order of their numbers")
{
    SearchRequest request = requestFor("zb-v", 4, 8);
    for (const std::uint64_t seed : {0, 1, 2, 3}) {
        CAPTURE(seed);
        request.prediction.costs.rules.seed = seed;
        const auto result = searched(request).value();
        REQUIRE_FALSE(result.differences.empty()); // not the published order
        int next = 0;
        for (const Op& op : result.order.on(DeviceId{0}))
            if (op.kind == OpKind::Forward && op.stage.value == 0)
                CHECK(op.microBatch.value == next++);
        CHECK(next == 8);
    }
}

TEST_CASE("the same number of orders and seed give the same schedule with any number of threads")
{
    SearchRequest request = requestFor("zb-v", 4, 8);
    request.limit = {false, {3}};
    request.threads = 1;
    const auto one = searched(request).value();
    request.threads = 3;
    const auto two = searched(request).value();
    CHECK(one.order == two.order);
    CHECK(one.orders == two.orders);
    request.orders = 1; // searched by time
    CHECK(searched(request).value().orders <= 1);
    request.orders = 20000;
    request.prediction.costs.rules.seed = 1;
    CHECK(searched(request).value().order != one.order);
}

TEST_CASE("a limit in bytes counts everything that a device holds")
{
    SearchRequest request = requestFor("", 8, 16);
    request.prediction.source.kind = CostSource::Kind::Hardware;
    request.prediction.source.model = "bert-64";
    request.prediction.source.hardware = "a800-sxm-80";
    request.prediction.costs = {};
    request.orders = 4000;
    const auto free = searched(request).value();
    const double peak = static_cast<double>(free.found.metrics.peakBytes().value());
    request.limit = {true, {0.9 * peak}};
    const auto limited = searched(request).value();
    CHECK(static_cast<double>(limited.found.metrics.peakBytes().value()) <= 0.9 * peak);
    CHECK(limited.length() >= free.bound);
    request.limit = {true, {1e6}};
    CHECK(searched(request).error().message.find("needs the least memory needs")
          != std::string::npos);
}

TEST_CASE("limits are activations or bytes, one for all devices or one for each")
{
    CHECK(MemoryLimit::parse("5").value().of == std::vector<double>{5});
    CHECK(MemoryLimit::parse("5,4.5").value().of == std::vector<double>{5, 4.5});
    CHECK(MemoryLimit::parse("9 GiB").value().of == std::vector<double>{9 * 0x1p30});
    CHECK(MemoryLimit::parse("1GB,2GB").value().text() == "953.7 MiB to 1.9 GiB");
    for (const char* wrong : {"", "x", "-1", "0", "5,9GiB", "5,", "nan", "9 GB B"})
        CHECK(MemoryLimit::parse(wrong).error().code == Error::Code::InvalidArgument);
}

TEST_CASE("a search reports its best start, the best published schedule and the bound at once")
{
    SearchRequest request = requestFor({}, 4, 8);
    request.limit = MemoryLimit::parse("3").value();
    std::vector<SearchProgress> reports;
    std::atomic<bool> stop{false};
    const auto result = search(
        request, costsOf(request.prediction).value(),
        [&](const SearchProgress& now) {
            reports.push_back(now);
            stop = true; // keeps the best start
        },
        stop);
    REQUIRE(result);
    REQUIRE_FALSE(reports.empty());
    const SearchProgress &first = reports.front(), last = result->numbers();
    CHECK(first.orders == 0);
    CHECK(first.inUnits);
    CHECK(first.published == result->bestPublished()->scheme);
    CHECK(first.publishedLength == result->bestPublished()->length);
    CHECK(first.bound == result->bound);
    CHECK(first.best >= last.best);
    CHECK(last.best == result->length());
    CHECK(last.best <= last.publishedLength);
}

TEST_CASE("a search that is stopped before it begins says so")
{
    const SearchRequest request = requestFor({}, 4, 8);
    const std::atomic<bool> stop{true};
    const auto result = search(
        request, costsOf(request.prediction).value(), [](const SearchProgress&) {}, stop);
    REQUIRE_FALSE(result);
    CHECK(result.error().code == Error::Code::Cancelled);
}

TEST_CASE("the verdict on a search names the best published scheme and the bound")
{
    const MemoryLimit limit = MemoryLimit::parse("5").value();
    const auto text = [&limit](SearchProgress now, const MemoryLimit& of) {
        const SearchVerdict sentence = verdict(now, of);
        return sentence.lead + "|" + sentence.rest;
    };
    SearchProgress now{.best = 59.5, .bound = 49, .published = "v-half", .publishedLength = 67.05};
    CHECK(text(now, limit)
          == "59.50 units, 11.3 % shorter|than v-half (67.05 units), the best published scheme "
             "that fits 5 M_a; at most 21.4 % above the optimum of these ops");
    now.best = 67.05;
    CHECK(text(now, {})
          == "67.05 units, as short as v-half,|the best published scheme; at most 36.8 % above "
             "the optimum of these ops");
    now.best = 68;
    CHECK(verdict(now, limit).kind == SearchVerdict::Kind::Longer);
    now.gain = Amount{0.012, Spread::Interval, 0.008, 0.016};
    CHECK(text(now, {}).find(", 1.2 % shorter (95 % interval 0.8 to 1.6 %)|than v-half (67.05 "
                             "units), the best published scheme, in 32 other iterations; at most ")
          != std::string::npos);
    now.gain = Amount{-0.012, Spread::Interval, -0.016, -0.008};
    CHECK(text(now, {}).find(", 1.2 % longer (95 % interval 0.8 to 1.6 %)|than v-half ")
          != std::string::npos);
    now.gain = Amount{0.012, Spread::Interval, -0.001, 0.016};
    CHECK(verdict(now, limit).kind == SearchVerdict::Kind::AsShort);
    CHECK(text(now, {}).find(", not distinguishable from v-half,|the best published scheme: 1.2 % "
                             "shorter (95 % interval -0.1 to 1.6 %) in 32 other iterations; at ")
          != std::string::npos);
    now.gain.reset();
    now.best = now.bound;
    CHECK(text(now, {})
          == "49.00 units, 26.9 % shorter|than v-half (67.05 units), the best published scheme; "
             "it is the optimum: no order of these ops is shorter");
    now = {.best = 2e6, .bound = 1e6, .inUnits = false};
    CHECK(text(now, limit)
          == "2.00 ms:|no published scheme fits 5 M_a; at most 100.0 % above the optimum of these "
             "ops");
    now.bound = 0;
    CHECK(text(now, limit) == "2.00 ms:|no published scheme fits 5 M_a");
}

// A 10 % shorter draw of the jitter was below the bound, and the best of single draws won.
TEST_CASE("with jitter an iteration is a median, which is not below the bound")
{
    SearchRequest request = requestFor("zb-v", 4, 8);
    request.prediction.costs.rules.jitter = {1, 5};
    request.orders = 2000;
    for (const std::uint64_t seed : {0, 1, 2}) {
        request.prediction.costs.rules.seed = seed;
        const auto result = searched(request).value();
        CHECK(result.found.run.timeline.iterations.size() == kJitteredIterations);
        CHECK(result.length() >= result.bound);
        REQUIRE(result.gain);
        CHECK(result.gain->spread == Spread::Interval);
        // The 8 iterations that chose the order promise more than others keep.
        CHECK(result.gain->value < 1 - result.length() / result.bestPublished()->length);
        request.prediction.costs.rules.jitter = {0};
        CHECK(result.bound < searched(request).value().bound);
        request.prediction.costs.rules.jitter = {1, 5};
    }
}

TEST_CASE("no result is below its bound, also where schemes with evicts or slices fit best")
{
    SearchRequest request = requestFor("", 8, 16);
    request.prediction.schedule.chunks = 1;
    for (const double limit : {3.0, 4.0, 5.0, 6.0}) {
        CAPTURE(limit);
        request.limit = {false, {limit}};
        const auto result = searched(request);
        CHECK((!result || result->length() >= result->bound));
    }
}

// The message was that no scheme can be a start.
TEST_CASE("a search with the times of an incomplete run says what the run lacks")
{
    auto run = std::make_shared<Run>();
    run->schedule = lower(built("1f1b", 2, 4));
    run->timeline
        = simulate(run->schedule, unitOpCosts(run->schedule, unequalCosts()).value()).value();
    run->info.mode = Mode::Emulate;
    for (Iteration& one : run->timeline.iterations)
        one.kind = Iteration::Kind::Warmup;
    for (const char* scheme : {"", "1f1b"}) {
        SearchRequest request = requestFor(scheme, 2, 4);
        request.prediction.source.kind = CostSource::Kind::Recorded;
        request.prediction.source.run = run;
        const auto found = searched(request);
        REQUIRE_FALSE(found);
        CHECK(found.error().message
              == "the run has no measured iteration yet; wait until the first one is recorded");
    }
}

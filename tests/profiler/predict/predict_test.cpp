#include "profiler/predict/predict.h"
#include "tests/support/pipelines.h"

using namespace engine;
using namespace profiler;

namespace {

PredictionRequest requestOf(const char* scheme, int devices, int microBatches)
{
    PredictionRequest request;
    request.schedule = tests::requestOf(scheme, devices, microBatches);
    return request;
}

PredictedRun predicted(const PredictionRequest& request, const PredictOptions& options = {})
{
    const auto costs = costsOf(request);
    REQUIRE(costs);
    auto order = orderOf(request);
    REQUIRE(order);
    auto one = predict(*std::move(order), *costs, options);
    REQUIRE(one);
    return *std::move(one);
}

} // namespace

TEST_CASE("a prediction has the same metrics with and without spans")
{
    for (const char* scheme : {"1f1b", "zb-h1", "bitpipe"}) {
        CAPTURE(scheme);
        const auto with = predicted(requestOf(scheme, 4, 8));
        const auto without = predicted(requestOf(scheme, 4, 8), {.needsSpans = false});
        CHECK(with.hasSpans);
        CHECK_FALSE(without.hasSpans);
        CHECK(with.metrics.duration == without.metrics.duration);
        CHECK(with.metrics.bubbleRatio == without.metrics.bubbleRatio);
        CHECK(with.metrics.peakStash() == without.metrics.peakStash());
    }
}

TEST_CASE("a prediction on hardware states its model, its mapping and the loads of its links")
{
    PredictionRequest request = requestOf("1f1b", 16, 16);
    request.source.kind = CostSource::Kind::Hardware;
    const auto one = predicted(request, {.mapping = "contiguous"});
    CHECK(one.run.info.model == "gpt3-96b");
    CHECK(one.mapping == "contiguous on 2 nodes, 8 slots per node");
    CHECK(one.run.info.link.ends_with(", " + one.mapping));
    REQUIRE(one.loads);
    CHECK(one.loads->find(0, 1) != nullptr); // from device 7 to device 8
    CHECK(one.run.info.memory == costsOf(request)->model->memory());
    CHECK_FALSE(predicted(request, {.needsLoads = false}).loads);
}

// The guide described the buffers, and the memory had none.
TEST_CASE("all-reduces as in BitPipe's code copy half of the gradients of a device")
{
    PredictionRequest request = requestOf("bitpipe", 8, 8);
    request.source.kind = CostSource::Kind::Hardware;
    request.source.model = "bert-64";
    request.source.hardware = "a800-sxm-80";
    for (const SyncPolicy sync : {SyncPolicy::Eager, SyncPolicy::Late, SyncPolicy::EagerBlocking}) {
        const auto one = predicted(request, {.sync = sync});
        std::vector<std::int64_t> buffers(8), most(8), gradients(8);
        for (const MemoryEvent& event : one.run.timeline.memory) {
            if (event.category == MemoryCategory::Gradients)
                gradients[event.device] += event.bytes;
            if (event.category != MemoryCategory::Buffers)
                continue;
            buffers[event.device] += event.bytes;
            most[event.device] = std::max(most[event.device], buffers[event.device]);
            CHECK(buffers[event.device] >= 0);
        }
        CHECK(buffers == std::vector<std::int64_t>(8)); // all are freed
        for (std::size_t d = 1; d < 7; ++d)             // without embedding and output layer
            CHECK(1.0 * most[d] / static_cast<double>(gradients[d])
                  == Approx(sync == SyncPolicy::EagerBlocking ? 0.5 : 0));
    }
}

// The window took nodes of consecutive devices, whatever the run and the request said.
TEST_CASE("the costs of a recorded run follow the mappings of both schedules")
{
    PredictionRequest request = requestOf("1f1b", 4, 4);
    request.costs.devicesPerNode = 2;
    request.costs.p2p = {0};
    request.costs.p2pAcross = {2};
    const auto recorded = std::make_shared<Run>(predicted(request).run);
    recorded->info.ticksPerUnit = 1;
    for (Iteration& iteration : recorded->timeline.iterations)
        iteration.kind = Iteration::Kind::Measured;
    request.costs.p2pAcross.reset();
    request.source.kind = CostSource::Kind::Recorded;
    request.source.run = recorded;
    const auto contiguous = predicted(request, {.mapping = "contiguous"});
    CHECK(contiguous.mapping == "contiguous on 2 nodes, 2 slots per node");
    CHECK(predicted(request, {.mapping = "pair-adjacent"}).mapping
          == "pair-adjacent on 2 nodes, 2 slots per node");
}

TEST_CASE("a schedule that already has recompute ops gets no others")
{
    const Schedule once = addRecompute(tests::scheduleOf("1f1b", 2, 2));
    PredictionRequest request;
    request.recompute = Recompute::Full;
    CHECK(withPasses(once, request) == once);
}

TEST_CASE("recompute ops move ahead by the costs of the request, from any source")
{
    PredictionRequest request = requestOf("v-min", 4, 8);
    request.recompute = Recompute::Full;
    PredictionRequest ahead = request;
    ahead.recomputeAhead = Fraction{};
    CHECK_FALSE(ahead.hasSameOrder(request));
    for (const auto kind : {CostSource::Kind::Units, CostSource::Kind::Hardware}) {
        INFO(static_cast<int>(kind));
        request.source.kind = ahead.source.kind = kind;
        const RunMetrics before = predicted(request).metrics, moved = predicted(ahead).metrics;
        CHECK(moved.duration < before.duration);
        CHECK(moved.peakStash() <= before.peakStash());
    }
    PredictionRequest slower = ahead;
    slower.costs.forward = {2};
    CHECK_FALSE(slower.hasSameOrder(ahead)); // the costs decide what moves
    ahead.recomputeAhead.reset();
    slower.recomputeAhead.reset();
    CHECK(slower.hasSameOrder(ahead));
}

TEST_CASE("the share that is kept until a RECOMPUTE can be given")
{
    PredictionRequest request = requestOf("gpipe", 4, 8);
    request.recompute = Recompute::Full;
    CHECK(predicted(request).metrics.devices.front().peakStash == 1);
    request.recomputeKeeps = Fraction{1, 4};
    CHECK(predicted(request).metrics.devices.front().peakStash == 1 + 7 * 0.25);
}

TEST_CASE("the share of I in B is between 0 and 1, or unset")
{
    const auto* field = findField(costSourceFields(), "--split-backward");
    CostSource source;
    CHECK(field->set(source, "1/3"));
    CHECK(source.inputShare == Fraction{1, 3});
    for (const char* wrong : {"0", "1", "2", "x"})
        CHECK_FALSE(field->set(source, wrong));
    CHECK(source.inputShare == Fraction{1, 3});
    CHECK(field->set(source, ""));
    CHECK_FALSE(source.inputShare);
}

TEST_CASE("a file of costs chooses its source")
{
    CostSource source;
    CHECK(findField(costSourceFields(), "--hardware")->set(source, "h100-sxm"));
    CHECK(source.kind == CostSource::Kind::Hardware);
    CHECK(arguments(costSourceFields(), source, CostSource())
          == std::vector<std::string>{"--model", "gpt3-96b", "--hardware", "h100-sxm"});
    CHECK(findField(costSourceFields(), "--calibrate")->set(source, "a.sqlite"));
    CHECK(arguments(costSourceFields(), source, CostSource())
          == std::vector<std::string>{"--calibrate", "a.sqlite"});
}

#include "engine/cost/model_prices.h"
#include "tests/support/pipelines.h"
#include "tests/support/temporary_folder.h"

#include <cmath>
#include <fstream>

using namespace engine;

namespace {

ModelOnHardware modelOf(const std::string& model, int tensorParallel, AttentionMode attention)
{
    ModelOnHardware on{loadTransformer(model).value(), loadHardware("a100-sxm-80").value(), {}};
    on.setup.tensorParallel = tensorParallel;
    on.setup.attention = attention;
    return on;
}

Mapping contiguous(const Schedule& schedule, const ModelOnHardware& on)
{
    return Mapping::of(schedule, "contiguous", nodeShape(on.hardware, on.setup.tensorParallel))
        .value();
}

} // namespace

TEST_CASE("a ring of eight sums 13.5 GB in 52 ms at 450 GB/s")
{
    CHECK(ringAllReduce({0, 450e9}, 8, 13.5e9) == Approx(0.0525).epsilon(0.01));
    CHECK(ringAllReduce({1e-6, 450e9}, 4, 0) == Approx(6e-6));
    CHECK(ringAllReduce({1e-6, 450e9}, 1, 1e9) == 0);
}

TEST_CASE("prices of a model on hardware: head on the last stage, links by node, times positive")
{
    const ModelOnHardware on = modelOf("gpt3-96b", 4, AttentionMode::Flash);
    Schedule schedule = tests::scheduleOf("1f1b", 8, 16);
    schedule.shape.dataParallel = 2;
    const auto prices = modelPrices(schedule.shape, on, contiguous(schedule, on));
    REQUIRE(prices);
    const auto duration = [&](OpKind kind, int stage, int device = 0, int peer = -1) {
        Op op;
        op.kind = kind;
        op.stage = StageId{stage};
        op.microBatch = MicroBatchId{0};
        if (peer >= 0)
            op.peer = static_cast<std::uint16_t>(peer);
        return prices->of(op, DeviceId{device}).duration;
    };
    CHECK(duration(OpKind::Forward, 7) > duration(OpKind::Forward, 3));
    CHECK(duration(OpKind::Forward, 0) == duration(OpKind::Forward, 3));
    CHECK(duration(OpKind::Backward, 3)
          == Approx(duration(OpKind::BackwardInput, 3) + duration(OpKind::BackwardWeight, 3)));
    // 20.4 MB for b = 2 (reference), so 10.2 here: two devices of t = 4 share a node.
    CHECK(duration(OpKind::SendActivation, 0, 0, 1)
          == Approx(10.22e6 / (300e9 * 0.8) * 1e9).epsilon(0.01));
    CHECK(duration(OpKind::SendActivation, 1, 1, 2)
          == Approx(10.22e6 / (25e9 * 0.8) * 1e9).epsilon(0.01));
    CHECK(duration(OpKind::AllReduce, 3) > 0);
    CHECK(duration(OpKind::OptimizerStep, 3) > 0);
    // The forward of a stage at b = 2 is about 162 ms at 50 % of the peak, so half of it at b = 1
    // and 75 %: 54 ms and what is no matrix product.
    CHECK(duration(OpKind::Forward, 3) > 54e6);
    CHECK(duration(OpKind::Forward, 3) < 85e6);
    CHECK_THAT(modelPrices(Shape{128, 128, 16}, on).error().message, Catch::Contains("80 layers"));
}

TEST_CASE("a model whose times exceed 64 bits of nanoseconds is refused")
{
    ModelOnHardware on = modelOf("gpt-1t", 1, AttentionMode::Flash);
    on.setup.microBatchSize = 1 << 20;
    on.hardware.peakFlops = 1e9;
    on.hardware.matmulShare = 0.001;
    const Schedule lowered = lower(tests::scheduleOf("1f1b", 2, 2));
    const auto prices = modelPrices(lowered.shape, on);
    REQUIRE(prices);
    CHECK_THAT(resolved(lowered, *prices).error().message, Catch::Contains("too large"));
}

TEST_CASE("recomputation is done by RECOMPUTE ops, or by every backward without them")
{
    const Shape shape{8, 8, 16};
    const auto durations = [&shape](AttentionMode attention, bool all, RecomputeIn where) {
        ModelOnHardware on = modelOf("gpt3-96b", 4, attention);
        on.setup.recomputesAll = all;
        const auto prices = modelPrices(shape, on, {}, {}, where);
        REQUIRE(prices);
        const auto of = [&](OpKind kind) {
            Op op;
            op.kind = kind;
            op.stage = StageId{3};
            op.microBatch = MicroBatchId{0};
            return prices->of(op, DeviceId{3}).duration;
        };
        return std::array{of(OpKind::Forward), of(OpKind::Backward), of(OpKind::BackwardInput),
                          of(OpKind::Recompute)};
    };
    using enum AttentionMode;
    const auto plain = durations(Standard, false, RecomputeIn::Backward);
    const auto all = durations(Standard, true, RecomputeIn::Backward);
    const auto ops = durations(Standard, true, RecomputeIn::Ops);
    CHECK(all[0] == plain[0]);
    CHECK(std::abs(all[1] - plain[1] - plain[0]) <= 1); // a forward longer, to the nanosecond
    CHECK(std::abs(all[2] - plain[2] - plain[0]) <= 1);
    CHECK(ops == std::array{plain[0], plain[1], plain[2], plain[0]});
    const auto attention = durations(Recompute, false, RecomputeIn::Backward);
    const auto inOps = durations(Recompute, false, RecomputeIn::Ops);
    CHECK(attention[1] > plain[1]);
    CHECK(attention[1] < all[1]);
    CHECK(std::abs(attention[1] - plain[1] - inOps[3]) <= 1);
    CHECK(inOps[1] == plain[1]);
    CHECK(durations(Flash, false, RecomputeIn::Ops)[3]
          == durations(Flash, false, RecomputeIn::Ops)[0]);
}

TEST_CASE("flash attention's backward makes the scores again: 2.5 forwards of it in place of 2")
{
    ModelOnHardware on = modelOf("gpt3-96b", 1, AttentionMode::Flash);
    on.hardware.memoryBandwidth = 1e30;
    on.hardware.kernelLaunch = 0;
    const double attention
        = attentionFlops(on.model, 1) / on.hardware.peakFlops / on.hardware.matmulShare;
    LayerTimes times = layerTimes(on);
    CHECK(times.inputGradient - times.forward == Approx(1.5 * attention));
    on.setup.attention = AttentionMode::Standard;
    times = layerTimes(on);
    CHECK(times.inputGradient - times.forward == Approx(attention));
    on.hardware.kernelLaunch = 1000; // seconds: beside them nothing else counts
    times = layerTimes(on);
    CHECK(times.forward == Approx(14'000).epsilon(1e-3));
    CHECK(times.inputGradient == Approx(14'000).epsilon(1e-3));
    CHECK(times.weightGradient == Approx(7'000).epsilon(1e-3));
}

TEST_CASE("the head adds to I what it adds to F, and to W its matrix product")
{
    const ModelOnHardware on = modelOf("gpt3-96b", 4, AttentionMode::Flash);
    const auto prices = modelPrices(Shape{8, 8, 16}, on);
    REQUIRE(prices);
    const auto ofHead = [&](OpKind kind) {
        Op op;
        op.kind = kind;
        op.stage = StageId{7};
        op.microBatch = MicroBatchId{0};
        const auto last = prices->of(op, DeviceId{7}).duration;
        op.stage = StageId{3};
        return last - prices->of(op, DeviceId{3}).duration;
    };
    const double product
        = headFlops(on.model, 1) / 4 / on.hardware.peakFlops / on.hardware.matmulShare * 1e9;
    CHECK(ofHead(OpKind::BackwardWeight) == Approx(product).margin(1));
    CHECK(std::abs(ofHead(OpKind::BackwardInput) - ofHead(OpKind::Forward)) <= 1);
    CHECK(ofHead(OpKind::Forward) > ofHead(OpKind::BackwardWeight)); // the loss
}

TEST_CASE("a message's latency comes behind it, a copy's is part of it")
{
    const ModelOnHardware on = modelOf("gpt3-96b", 4, AttentionMode::Flash);
    const auto prices = modelPrices(Shape{8, 8, 16}, on);
    REQUIRE(prices);
    Op op;
    op.stage = StageId{0};
    op.microBatch = MicroBatchId{0};
    op.peer = 1;
    op.kind = OpKind::SendActivation;
    CHECK(prices->of(op, DeviceId{0}).latency == std::llround(on.hardware.node.latency * 1e9));
    op.kind = OpKind::Evict;
    const auto copy = prices->of(op, DeviceId{0});
    CHECK(copy.latency == 0);
    const double seconds = on.hardware.node.latency
        + stageStashBytes(on.model, on.setup, 8, 0)
            / (on.hardware.node.bandwidth * on.hardware.linkShare);
    CHECK(static_cast<double>(copy.duration) == Approx(seconds * 1e9).margin(1));
    op.peer = Op::kNoPeer; // to the host: PCIe 4, 32 GB/s, of which 80 % are reached
    CHECK(static_cast<double>(prices->of(op, DeviceId{0}).duration)
          == Approx(1e4 + stageStashBytes(on.model, on.setup, 8, 0) / 25.6).margin(1));
}

TEST_CASE("copies of a pipeline that fills its node sum over the network")
{
    const ModelOnHardware on = modelOf("gpt3-96b", 4, AttentionMode::Flash);
    const auto sum = [&on](const char* scheme, int dataParallel) {
        Schedule schedule = tests::scheduleOf(scheme, 2, 2); // of t = 4: a node of eight GPUs
        schedule.shape.dataParallel = dataParallel;
        Op op;
        op.kind = OpKind::AllReduce;
        op.stage = StageId{0};
        const auto prices = modelPrices(schedule.shape, on, contiguous(schedule, on));
        REQUIRE(prices);
        return static_cast<double>(prices->of(op, DeviceId{0}).duration) * 1e-9;
    };
    const double bytes = stageBytes(on, 2, Rebuilt::LayerByLayer)[{0}].gradients;
    const auto ring = [&](LinkSpec link) {
        link.bandwidth *= on.hardware.linkShare;
        return Approx(ringAllReduce(link, 2, bytes)).epsilon(1e-6);
    };
    CHECK(sum("chimera", 1) == ring(on.hardware.node));
    CHECK(sum("1f1b", 2) == ring(on.hardware.network));
}

// It took no time with one copy, and with several it was priced as that of the stage.
TEST_CASE("the first and the last stage sum the gradient of tied embeddings")
{
    const ModelOnHardware on = modelOf("gpt3-96b", 4, AttentionMode::Flash);
    const auto sum = [&on](int dataParallel) {
        Schedule schedule = tests::scheduleOf("1f1b", 2, 2); // of t = 4: a node of eight GPUs
        schedule.shape.dataParallel = dataParallel;
        Op op;
        op.kind = OpKind::AllReduce;
        op.stage = StageId{0};
        op.peer = 1;
        const auto prices = modelPrices(schedule.shape, on, contiguous(schedule, on));
        REQUIRE(prices);
        return static_cast<double>(prices->of(op, DeviceId{0}).duration) * 1e-9;
    };
    const auto ring = [&](LinkSpec link, int ranks, double bytes) {
        link.bandwidth *= on.hardware.linkShare;
        return ringAllReduce(link, ranks, bytes);
    };
    const double tied = 4 * embeddingParameters(on.model) / 4, all = allReduceBytes(on, 2, 0);
    const LinkSpec &node = on.hardware.node, &network = on.hardware.network;
    CHECK(sum(1) == Approx(ring(node, 2, tied)).epsilon(1e-6));
    CHECK(sum(2) == Approx(ring(network, 4, tied) + ring(network, 2, all - tied)).epsilon(1e-6));
}

TEST_CASE("all-reduces in bf16 move half of the bytes of those in fp32")
{
    ModelOnHardware on = modelOf("gpt3-96b", 4, AttentionMode::Flash);
    on.hardware.node.latency = 0;
    const auto sum = [&on] {
        Shape shape{2, 2, 16};
        shape.dataParallel = 2;
        Op op;
        op.kind = OpKind::AllReduce;
        op.stage = StageId{0};
        return static_cast<double>(modelPrices(shape, on)->of(op, DeviceId{0}).duration);
    };
    const double fp32 = sum();
    on.setup.allReducePrecision = GradientPrecision::Bf16;
    CHECK(sum() == Approx(fp32 / 2));
}

TEST_CASE("every preset of a model and of hardware loads, and what is wrong is named")
{
    for (const auto& name : transformerNames())
        CHECK(loadTransformer(name));
    for (const auto& name : hardwareNames())
        CHECK(loadHardware(name));
    CHECK(transformerNames().size() >= 7);
    CHECK(hardwareNames().size() >= 8);
    CHECK_THAT(loadTransformer("gpt5").error().message,
               Catch::Contains("unknown model 'gpt5'") && Catch::Contains("llama-65b"));
    CHECK_THAT(loadHardware("tpu").error().message, Catch::Contains("h100-sxm"));
    CHECK_THAT(loadHardware("none.toml").error().message, Catch::Contains("cannot read"));
}

TEST_CASE("hardware written as a file is read as the same hardware")
{
    const tests::TemporaryFolder folder;
    for (const char* name : {"a100-sxm-80", "rtx-3090"}) {
        HardwareSpec hardware = loadHardware(name).value();
        hardware.name += " \"quoted\\\"";
        const std::string file = (folder / "hardware.toml").string();
        std::ofstream(file) << hardwareToml(hardware);
        const auto read = loadHardware(file);
        REQUIRE(read);
        CHECK(read->name == hardware.name);
        CHECK(read->peakFlops == hardware.peakFlops);
        CHECK(read->memory == Approx(hardware.memory).epsilon(1e-4));
        CHECK(read->memoryBandwidth == hardware.memoryBandwidth);
        CHECK(read->node == hardware.node);
        CHECK(read->network == hardware.network);
        CHECK(read->kernelLaunch == hardware.kernelLaunch);
        CHECK(read->devicesPerNode == hardware.devicesPerNode);
        CHECK(read->matmulShare == hardware.matmulShare);
    }
}

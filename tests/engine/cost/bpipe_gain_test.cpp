#include "engine/cost/bpipe_gain.h"
#include "tests/catch.h"

#include <cmath>

using namespace engine;

namespace {

constexpr double kGibi = 1 << 30;

EstimateInput inputOf(const std::string& model, int tensorParallel, int stages, int microBatchSize,
                      AttentionMode attention)
{
    EstimateInput input;
    input.on = {loadTransformer(model).value(), loadHardware("a100-sxm-80").value(), {}};
    input.on.setup.tensorParallel = tensorParallel;
    input.on.setup.microBatchSize = microBatchSize;
    input.on.setup.attention = attention;
    input.stages = stages;
    return input;
}

double gib(double bytes)
{
    return bytes / kGibi;
}

} // namespace

TEST_CASE("parameters are those in the models' names")
{
    const auto billions
        = [](const char* name) { return parameterCount(loadTransformer(name).value()) / 1e9; };
    CHECK(billions("gpt3-96b") == Approx(96.2).margin(0.1));
    CHECK(billions("llama-65b") == Approx(65.3).margin(0.1));
    CHECK(billions("llama3-8b") == Approx(8.03).margin(0.01));
    CHECK(billions("llama3-70b") == Approx(70.6).margin(0.1));
    CHECK(billions("vit-22b") == Approx(21.7).margin(0.1));
    CHECK(billions("gpt3-134b") == Approx(134.6).margin(0.1));
    CHECK(billions("gpt3-175b") == Approx(174.6).margin(0.5));
    CHECK(billions("gpt-1t") == Approx(1008).margin(1));
}

TEST_CASE("a layer of s = h = 4096, a = 32 keeps 3.03 GiB, with flash 0.53, recomputed 0.031")
{
    TransformerSpec model;
    model.sequence = model.width = 4096;
    model.heads = 32;
    model.dropout = true;
    TrainingSetup setup;
    setup.attention = AttentionMode::Standard;
    CHECK(gib(layerStashBytes(model, setup)) == Approx(3.031).epsilon(0.01));
    setup.attention = AttentionMode::Recompute;
    CHECK(gib(layerStashBytes(model, setup)) == Approx(0.531).epsilon(0.01));
    setup.recomputesAll = true;
    CHECK(gib(layerStashBytes(model, setup)) == Approx(0.03125).epsilon(0.01));
}

TEST_CASE("attention scores are 5 a s / h = 80 s b h of GPT-3 175B")
{
    const auto model = loadTransformer("gpt3-175b").value();
    TrainingSetup setup;
    setup.attention = AttentionMode::Standard;
    const double all = layerStashBytes(model, setup);
    setup.attention = AttentionMode::Recompute;
    const double sbh = static_cast<double>(model.sequence) * model.width;
    CHECK((all - layerStashBytes(model, setup)) / sbh == 80);
    CHECK(layerStashBytes(model, setup) / sbh == 34);
    setup.tensorParallel = 8;
    CHECK(layerStashBytes(model, setup) / sbh == 34.0 / 8);
    setup.sequenceParallel = false;
    CHECK(layerStashBytes(model, setup) / sbh == 10 + 24.0 / 8);
}

TEST_CASE("without dropout a layer keeps two masks and three bytes per score less")
{
    auto model = loadTransformer("gpt3-175b").value();
    TrainingSetup setup;
    setup.attention = AttentionMode::Standard;
    const double dropped = layerStashBytes(model, setup),
                 embedding = embeddingStashBytes(model, setup);
    model.dropout = false;
    const double s = model.sequence, sbh = s * model.width;
    CHECK(layerStashBytes(model, setup) == (32 + 2.0 * model.heads * s / model.width) * sbh);
    CHECK(dropped - layerStashBytes(model, setup)
          == (2 + 3.0 * model.heads * s / model.width) * sbh);
    CHECK(embedding - embeddingStashBytes(model, setup) == sbh);
    for (const char* trained : {"tiny", "small", "gpt2-124m", "llama-65b"})
        CHECK_FALSE(loadTransformer(trained)->dropout);
}

TEST_CASE("with uneven layers the estimate is that of the fullest device")
{
    EstimateInput input = inputOf("gpt3-96b", 4, 4, 1, AttentionMode::Standard);
    input.on.model.layers = 39; // 9, 10, 10, 10
    input.globalBatch = 2;      // of which the last device holds one
    const auto memory = estimateMemory(input);
    CHECK(memory.device == 1);
    CHECK(memory.stash == 10 * layerStashBytes(input.on.model, input.on.setup));
    CHECK(memory.oneFOneB == memory.state + 2 * memory.stash);
    CHECK(*memory.bpipe == memory.oneFOneB); // it keeps at most ceil((D+2)/2) = 3
    input.on.model.layers = 40;
    CHECK(estimateMemory(input).device == 0);
}

TEST_CASE("a tensor-parallel width that does not divide the heads is refused, with widths that do")
{
    for (const int width : {3, 105}) {
        EstimateInput input = inputOf("gpt3-96b", width, 8, 1, AttentionMode::Flash); // 104 heads
        const auto gain = bpipeGain({input, {1, 2}, {}, {}});
        const auto prices = modelPrices({8, 8, 8}, input.on);
        REQUIRE_FALSE(gain);
        REQUIRE_FALSE(prices);
        CHECK(gain.error().message == prices.error().message);
        CHECK_THAT(gain.error().message,
                   Catch::Contains("has 104 attention heads")
                       && Catch::Contains(width == 3 ? "use 2 or 4" : "use 104"));
    }
}

TEST_CASE("more stages than 65535 are refused, and the multiple of a batch exceeds 32 bits")
{
    EstimateInput input = inputOf("gpt3-96b", 1, 65534, 1, AttentionMode::Flash);
    input.chunks = 65534;
    CHECK_THAT(bpipeGain({input, {1}, {}, {}}).error().message,
               Catch::Contains("4294705156 stages; use at most 65535"));
    input.stages = input.chunks = 1;
    input.on.setup.dataParallel = 65535;
    CHECK_THAT(bpipeGain({input, {1 << 20}, {}, {}}).error().message,
               Catch::EndsWith("use --global-batch 68718428160"));
}

TEST_CASE("the transfer of BPipe takes the slowest link between partners")
{
    EstimateInput input = inputOf("gpt3-96b", 8, 4, 1, AttentionMode::Recompute); // a node each
    BpipeQuestion question{input, {1}, {}, {}};
    const double inNode = bpipeGain(question)->rows[0].transfer;
    Schedule schedule;
    schedule.scheme = "bpipe";
    schedule.shape = {.devices = 4, .stages = 4, .microBatches = 1};
    schedule.deviceOf.assign(1, {});
    for (int s = 0; s < 4; ++s)
        schedule.deviceOf[0].push_back(DeviceId{s});
    question.mapping
        = Mapping::of(schedule, "pair-adjacent", nodeShape(input.on.hardware, 8)).value();
    CHECK(bpipeGain(question)->rows[0].transfer
          == Approx(12 * inNode).epsilon(0.01)); // 300, 25 GB/s
}

TEST_CASE("state and stash of the first device are those of the re-evaluation of BPipe")
{
    struct Row
    {
        const char* model;
        int size;
        AttentionMode attention;
        double state, stash, oneFOneB, bpipe;
    };
    for (const Row& row : {Row{"gpt3-96b", 1, AttentionMode::Standard, 52.3, 6.70, 105.9, 85.8},
                           Row{"gpt3-96b", 1, AttentionMode::Recompute, 52.3, 1.62, 65.2, 60.4},
                           Row{"gpt3-96b", 2, AttentionMode::Recompute, 52.3, 3.24, 78.2, 68.5},
                           Row{"gpt3-96b", 4, AttentionMode::Recompute, 52.3, 6.48, 104.1, 84.7},
                           Row{"llama-65b", 1, AttentionMode::Standard, 35.0, 2.72, 56.7, 48.6},
                           Row{"llama-65b", 2, AttentionMode::Standard, 35.0, 5.43, 78.5, 62.2},
                           Row{"llama-65b", 2, AttentionMode::Recompute, 35.0, 2.93, 58.5, 49.7},
                           Row{"llama-65b", 4, AttentionMode::Recompute, 35.0, 5.86, 81.9, 64.3}}) {
        INFO(row.model << " b=" << row.size);
        const auto memory = estimateMemory(inputOf(row.model, 4, 8, row.size, row.attention));
        CHECK(gib(memory.state) == Approx(row.state).margin(0.06));
        CHECK(gib(memory.stash) == Approx(row.stash).margin(0.006));
        CHECK(gib(memory.oneFOneB) == Approx(row.oneFOneB).margin(0.25)); // the embedding's mask
        CHECK(gib(*memory.bpipe) == Approx(row.bpipe).margin(0.25));
    }
}

TEST_CASE("state and activations of four models are the bars of arXiv 2205.05198")
{
    struct Bars
    {
        const char* model;
        int stages, chunks, size, batch;
        double state, all, selective, tolerance; // GiB
    };
    for (const Bars& bars :
         {Bars{"gpt-22b", 1, 1, 4, 4, 46, 59, 10, 2}, Bars{"gpt3-175b", 8, 3, 1, 64, 45, 67, 13, 2},
          Bars{"mt-nlg-530b", 35, 3, 1, 280, 32, 113, 22, 2},
          Bars{"gpt-1t", 64, 1, 1, 512, 34, 129, 25, 3}}) {
        INFO(bars.model);
        const auto memory = [&](AttentionMode attention, bool sequenceParallel) {
            EstimateInput input = inputOf(bars.model, 8, bars.stages, bars.size, attention);
            input.on.setup.sequenceParallel = sequenceParallel;
            input.chunks = bars.chunks;
            input.globalBatch = bars.batch;
            return estimateMemory(input);
        };
        const auto all = memory(AttentionMode::Standard, false);
        const auto selective = memory(AttentionMode::Recompute, true);
        CHECK(gib(all.state) == Approx(bars.state).margin(bars.tolerance));
        CHECK(gib(all.oneFOneB - all.state) == Approx(bars.all).margin(bars.tolerance));
        CHECK(gib(selective.oneFOneB - selective.state)
              == Approx(bars.selective).margin(bars.tolerance));
        CHECK(all.bpipe.has_value() == (bars.chunks == 1));
    }
}

TEST_CASE("Megatron's fused softmax needs a multiple of 4 heads x sequences per rank")
{
    const auto nameOf = [](const char* model, int size, int tensorParallel) {
        const auto on = inputOf(model, tensorParallel, 8, size, AttentionMode::Recompute).on;
        return std::string(attentionKernels(on.model, on.setup).name);
    };
    CHECK(nameOf("gpt3-96b", 1, 4) == "separate kernels"); // 26 heads
    CHECK(nameOf("gpt3-96b", 2, 4) == "fused softmax");
    CHECK(nameOf("llama-65b", 1, 4) == "fused softmax"); // 16 heads
    const auto flash = inputOf("gpt3-96b", 4, 8, 1, AttentionMode::Flash).on;
    CHECK(attentionKernels(flash.model, flash.setup).forwardTraffic == 0);
}

TEST_CASE("the kernel rule gives the three published verdicts on BPipe (arXiv 2401.02088)")
{
    const auto answer = [](const char* model, AttentionMode attention, std::vector<int> sizes) {
        const EstimateInput input = inputOf(model, 4, 8, 1, attention);
        return bpipeGain({input, std::move(sizes), {}, input.on.memory()}).value();
    };
    using enum AttentionMode;
    const BpipeAnswer gpt = answer("gpt3-96b", Recompute, {1, 2});
    CHECK(gpt.isWorthIt);
    CHECK(gpt.rows[1].speedUp == Approx(1.35).epsilon(0.15)); // a roofline
    CHECK(gpt.rows[1].speedUp == Approx(1.273).epsilon(0.002));
    CHECK_FALSE(gpt.rows[1].fitsWithout);
    CHECK(gpt.rows[1].fitsWith);
    CHECK_THAT(gpt.verdict,
               Catch::Contains("Yes: b = 2 with BPipe is 1.27 times as fast as b = 1")
                   && Catch::Contains("to fused softmax (26 -> 52 heads per rank)"));
    const BpipeAnswer flash = answer("gpt3-96b", Flash, {1, 2});
    CHECK(flash.rows[1].speedUp == Approx(1).margin(0.03)); // "negligible"
    CHECK_FALSE(flash.isWorthIt);
    const BpipeAnswer llama = answer("llama-65b", Recompute, {2, 4});
    CHECK(llama.rows[1].speedUp == Approx(1 - 0.087).margin(0.02));
    CHECK_THAT(llama.verdict, Catch::Contains("No: b = 4 with BPipe is 0.93 times as fast"));
    CHECK_THAT(answer("gpt3-175b", Standard, {4}).verdict, Catch::Contains("no micro-batch size"));
    CHECK_THAT(answer("gpt3-96b", Recompute, {2}).verdict, Catch::Contains("only with BPipe"));
    CHECK_THAT(answer("llama-65b", Recompute, {1, 2}).verdict, Catch::Contains("All sizes fit"));
}

// The verdict did not say that a reserve of 1 % turns it around.
TEST_CASE("the verdict on BPipe states for which reserves it holds")
{
    EstimateInput input = inputOf("gpt3-96b", 4, 8, 1, AttentionMode::Recompute);
    const auto answer = [&input](double reserve) {
        input.on.setup.reserve = reserve;
        return bpipeGain({input, {1, 2}, {}, input.on.memory()}).value();
    };
    const BpipeAnswer usual = answer(5);
    CHECK(usual.isWorthIt);
    CHECK_THAT(
        usual.verdict,
        Catch::Contains("With 75.2 GiB usable of 79.2 GiB: reserve 5 %; the answer holds for "
                        "a reserve above 1.2 % and up to 13.5 %."));
    const BpipeAnswer none = answer(0);
    CHECK_FALSE(none.isWorthIt);
    CHECK_THAT(none.verdict, Catch::EndsWith("the answer holds for a reserve up to 1.2 %."));
    CHECK(none.holdsFor.upTo == usual.holdsFor.above);
    CHECK(answer(usual.holdsFor.above - 1e-6).verdict.starts_with("No: "));
    CHECK(answer(usual.holdsFor.above + 1e-6).verdict.starts_with("Yes: "));
    CHECK_THAT(answer(99).verdict, Catch::Contains("No: no micro-batch size fits"));
    CHECK(answer(99).holdsFor.upTo == 100);
    input.on.hardware.memory *= 100;
    CHECK_THAT(answer(5).verdict, Catch::Contains("a reserve up to 99.0 %"));
}

TEST_CASE("a batch that the micro-batches do not divide is refused with the nearest ones")
{
    EstimateInput input = inputOf("gpt3-96b", 4, 8, 1, AttentionMode::Recompute);
    input.on.setup.dataParallel = 2;
    input.globalBatch = 130;
    CHECK_THAT(bpipeGain({input, {1, 2, 4}, {}, {}}).error().message,
               Catch::EndsWith("use --global-batch 128 or 136"));
}

// The verdict took the last size for the largest and the first for the smallest.
TEST_CASE("the verdict on BPipe does not depend on the order of the sizes")
{
    const EstimateInput input = inputOf("gpt3-96b", 4, 8, 1, AttentionMode::Recompute);
    const auto verdict = [&](int gibibytes, std::vector<int> sizes) {
        const MemoryCapacity memory{Bytes{gibibytes} << 30, 0};
        return bpipeGain({input, std::move(sizes), {}, memory}).value().verdict;
    };
    for (const auto& [gibibytes, text] :
         {std::pair{62, "the smallest size needs 6"}, std::pair{80, "b = 2 fits without"}}) {
        CHECK_THAT(verdict(gibibytes, {4, 2, 1}), Catch::Contains(text));
        CHECK(verdict(gibibytes, {4, 2, 1}) == verdict(gibibytes, {1, 2, 4}));
    }
}

TEST_CASE("MFU and HFU of the published iteration times are the published ones")
{
    struct Row
    {
        const char* model;
        int stages, batch;
        double seconds, mfu, hfu;
    };
    for (const Row& row :
         {Row{"gpt-22b", 1, 4, 1.10, 41.5, 43.7}, Row{"gpt3-175b", 8, 64, 13.75, 51.4, 52.8},
          Row{"mt-nlg-530b", 35, 280, 37.83, 56.0, 57.0},
          Row{"gpt-1t", 64, 512, 71.49, 56.3, 57.0}}) {
        INFO(row.model);
        EstimateInput input = inputOf(row.model, 8, row.stages, 1, AttentionMode::Recompute);
        input.globalBatch = row.batch;
        const auto use = utilisation(input, row.seconds);
        CHECK(100 * use.mfu == Approx(row.mfu).margin(0.2));
        CHECK(100 * use.hfu == Approx(row.hfu).margin(0.2));
        CHECK(use.strictHfu < use.hfu);
        CHECK(use.strictHfu > use.mfu);
    }
}

TEST_CASE("BPipe's gain is the stage's over the growth of the bubble")
{
    EstimateInput input = inputOf("gpt3-96b", 4, 8, 1, AttentionMode::Flash);
    CHECK(breakEven(input, 1, 2) == Approx(1.0519).epsilon(1e-4));
    CHECK(breakEven(input, 2, 4) == Approx(1.0986).epsilon(1e-4));
    CHECK(breakEven(input, 1, 4) == Approx(1.1556).epsilon(1e-4));
    CHECK(pipelineMfu(input, 1) == Approx(128.0 / 135));
    EstimateInput larger = input;
    larger.on.setup.microBatchSize = 2;
    // Worked example A: stage MFU 37.8 % -> 55.2 % predicts 1.388.
    CHECK(pipelineMfu(larger, 0.552) / pipelineMfu(input, 0.378) == Approx(1.388).epsilon(1e-3));
    EstimateInput largest = input;
    largest.on.setup.microBatchSize = 4;
    CHECK(pipelineMfu(largest, 0.5) / pipelineMfu(larger, 0.5) == Approx(1 - 0.0897).epsilon(1e-3));
}

TEST_CASE("a stage keeps its whole stash, or what recomputation leaves of it")
{
    ModelOnHardware on = inputOf("gpt3-96b", 4, 8, 1, AttentionMode::Standard).on;
    const auto stage = [&on](Rebuilt rebuilt) { return stageBytes(on, 8, rebuilt)[{3}]; };
    CHECK(stage(Rebuilt::WholeStage).kept == stage(Rebuilt::WholeStage).stash);
    CHECK(keptShare(on) == 1);
    const double whole = stage(Rebuilt::LayerByLayer).stash;
    on.setup.attention = AttentionMode::Recompute; // 34 of 34 + 5 a s/h
    CHECK(stage(Rebuilt::WholeStage).stash == whole);
    CHECK(stage(Rebuilt::LayerByLayer).stash == stage(Rebuilt::WholeStage).kept);
    CHECK(keptShare(on) == Approx(34 / (34 + 5.0 * 104 * 2048 / 9984)).epsilon(1e-3));
    on.setup.recomputesAll = true;
    CHECK(stage(Rebuilt::WholeStage).kept
          == Approx(10 * boundaryBytes(on.model, on.setup))); // ten layers of two bytes
}

// GPT layers stored the keys and values of all heads.
TEST_CASE("layers with g/a of the heads for keys and values store 4 s b h (1 - g/a) bytes less")
{
    for (const auto family : {Family::Gpt, Family::Llama}) {
        TransformerSpec model; // 16 heads
        model.family = family;
        const double all = layerStashBytes(model, {});
        model.keyValueHeads = 4;
        CHECK(all - layerStashBytes(model, {}) == 3.0 * model.sequence * model.width);
    }
}

// Memory and messages of models in fp32 were those of 16 bits.
TEST_CASE("activations and messages in fp32 have twice the bytes, but not log-sum-exps and logits")
{
    for (const auto family : {Family::Gpt, Family::Llama}) {
        TransformerSpec model;
        model.family = family;
        TrainingSetup half, full;
        full.activationBytes = 4;
        const double tokens = model.sequence;
        CHECK(boundaryBytes(model, full) == 2 * boundaryBytes(model, half));
        const auto added = [&](auto bytes) { return bytes(model, full) - 2 * bytes(model, half); };
        CHECK(added(layerStashBytes) == -tokens * 4 * model.heads);
        CHECK(added(headStashBytes) == -tokens * 4 * model.vocabulary);
    }
}

TEST_CASE("the embedding's parameters are on the first stage and, as the head, on the last")
{
    ModelOnHardware on = inputOf("gpt3-96b", 4, 8, 1, AttentionMode::Standard).on;
    const auto weights
        = [&on](int stage) { return stageBytes(on, 8, Rebuilt::LayerByLayer)[{stage}].weights; };
    CHECK(weights(0) - weights(3) == 2 * embeddingParameters(on.model) / 4);
    CHECK(weights(7) == weights(0));
    const auto stash = [&on] { return stageBytes(on, 8, Rebuilt::LayerByLayer)[{7}].stash; };
    const double plain = stash();
    on.model.family = Family::Bert;
    const double h = on.model.width;
    CHECK((weights(7) - weights(0)) * 4 / 2 == Approx(h * h + 3 * h + on.model.vocabulary));
    CHECK(stash() - plain == 6.0 * on.model.sequence * on.model.width / 4);
}

TEST_CASE("1F1B keeps no more micro-batches than there are, BPipe ceil((D+2)/2) of them")
{
    EstimateInput input = inputOf("gpt3-96b", 4, 5, 1, AttentionMode::Flash);
    const auto kept = [&input] {
        const auto memory = estimateMemory(input);
        const double each = memory.stash + embeddingStashBytes(input.on.model, input.on.setup);
        return std::pair(std::lround((memory.oneFOneB - memory.state) / each),
                         std::lround((*memory.bpipe - memory.state) / each));
    };
    input.globalBatch = 64;
    CHECK(kept() == std::pair(5L, 4L)); // the middle device has no partner, and ceil(3.5)
    input.globalBatch = 3;
    CHECK(kept() == std::pair(3L, 3L));
}

TEST_CASE("full recomputation computes every layer's forward twice")
{
    EstimateInput input = inputOf("gpt3-96b", 4, 8, 1, AttentionMode::Flash);
    input.on.setup.recomputesAll = true;
    const TransformerSpec& model = input.on.model;
    const double layers = model.layers
        * (layerFlops(model, input.globalBatch) + attentionFlops(model, input.globalBatch));
    const auto use = utilisation(input, 10);
    CHECK(use.hfu / use.mfu == Approx(1 + layers / modelFlops(model, input.globalBatch)));
    CHECK(use.strictHfu == use.hfu);
}

TEST_CASE("copies of the pipeline share the batch, so that a larger micro-batch costs them more")
{
    EstimateInput input = inputOf("gpt3-96b", 4, 8, 1, AttentionMode::Flash);
    input.on.setup.dataParallel = 2;
    CHECK(breakEven(input, 1, 2) == Approx((128.0 + 2 * 2 * 7) / (128 + 2 * 7)));
    CHECK(microBatchesOf(input) == 64);
}

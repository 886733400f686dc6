// Plain training on the CPU: tokens per second of gpt2-124m and small, and where the time goes: the
// share of each kind of kernel, matrix products first. One thread is timed by its own CPU clock, so
// that other load does not enter; several by the wall clock, which needs an idle machine.

#include "engine/backend/cpu/cpu_device.h"
#include "engine/exec/op_timing.h"
#include "engine/exec/sequential.h"
#include "engine/model/transformer.h"

#include <benchmark/benchmark.h>

#include <array>

using namespace engine;

namespace {

enum class Part { Matmul, Attention, Norm, Activation, Loss, AdamW, Rest };
constexpr std::array kParts{"matmul", "attention", "norm", "activation", "loss", "adamw", "rest"};

// Passes every call on, and adds up how long each kind takes.
class TimedKernels final : public Kernels<float>
{
public:
    using Tokens = std::span<const std::int32_t>;

    TimedKernels(const Kernels<float>& kernels, int threads)
        : m_kernels(kernels)
        , m_threads(threads)
    { }

    std::int64_t now() const { return m_threads == 1 ? threadCpuTime() : wallTime(); }
    std::array<std::int64_t, kParts.size()>& spent() const { return m_spent; }

    void matmul(const Matmul<float>& op) const override
    {
        timed(Part::Matmul, [&] { m_kernels.matmul(op); });
    }
    void addBias(Matrix<float> y, const float* bias) const override
    {
        timed(Part::Rest, [&] { m_kernels.addBias(y, bias); });
    }
    void addBiasGradient(Matrix<const float> dy, float* dBias) const override
    {
        timed(Part::Rest, [&] { m_kernels.addBiasGradient(dy, dBias); });
    }
    void add(std::span<const float> x, std::span<float> y) const override
    {
        timed(Part::Rest, [&] { m_kernels.add(x, y); });
    }
    void layerNorm(const LayerNorm<float>& op) const override
    {
        timed(Part::Norm, [&] { m_kernels.layerNorm(op); });
    }
    void layerNormBackward(const LayerNormBackward<float>& op) const override
    {
        timed(Part::Norm, [&] { m_kernels.layerNormBackward(op); });
    }
    void rmsNorm(const RmsNorm<float>& op) const override
    {
        timed(Part::Norm, [&] { m_kernels.rmsNorm(op); });
    }
    void rmsNormBackward(const RmsNormBackward<float>& op) const override
    {
        timed(Part::Norm, [&] { m_kernels.rmsNormBackward(op); });
    }
    void rotary(const Rotary<float>& op) const override
    {
        timed(Part::Rest, [&] { m_kernels.rotary(op); });
    }
    void attention(const Attention<float>& op) const override
    {
        timed(Part::Attention, [&] { m_kernels.attention(op); });
    }
    void attentionBackward(const AttentionBackward<float>& op) const override
    {
        timed(Part::Attention, [&] { m_kernels.attentionBackward(op); });
    }
    void gelu(std::span<const float> x, std::span<float> y) const override
    {
        timed(Part::Activation, [&] { m_kernels.gelu(x, y); });
    }
    void geluBackward(std::span<const float> dy, std::span<float> x) const override
    {
        timed(Part::Activation, [&] { m_kernels.geluBackward(dy, x); });
    }
    void swiGlu(Matrix<const float> x, Matrix<float> y) const override
    {
        timed(Part::Activation, [&] { m_kernels.swiGlu(x, y); });
    }
    void swiGluBackward(Matrix<const float> dy, Matrix<float> x) const override
    {
        timed(Part::Activation, [&] { m_kernels.swiGluBackward(dy, x); });
    }
    void embedding(Tokens tokens, const float* table, Matrix<const float> positions,
                   Matrix<float> out) const override
    {
        timed(Part::Rest, [&] { m_kernels.embedding(tokens, table, positions, out); });
    }
    void embeddingBackward(Tokens tokens, Matrix<const float> dOut, float* dTable,
                           Matrix<float> dPositions) const override
    {
        timed(Part::Rest, [&] { m_kernels.embeddingBackward(tokens, dOut, dTable, dPositions); });
    }
    double crossEntropy(Matrix<float> logits, Tokens targets) const override
    {
        double loss = 0;
        timed(Part::Loss, [&] { loss = m_kernels.crossEntropy(logits, targets); });
        return loss;
    }
    void crossEntropyBackward(Matrix<float> probabilities, Tokens targets,
                              float scale) const override
    {
        timed(Part::Loss, [&] { m_kernels.crossEntropyBackward(probabilities, targets, scale); });
    }
    void adamW(const AdamW<float>& op) const override
    {
        timed(Part::AdamW, [&] { m_kernels.adamW(op); });
    }
    void addFixedPoint(std::span<const float> x, std::span<std::int64_t> sums) const override
    {
        m_kernels.addFixedPoint(x, sums);
    }
    void fromFixedPoint(std::span<const std::int64_t> sums, std::span<float> x) const override
    {
        m_kernels.fromFixedPoint(sums, x);
    }

private:
    template<class Call>
    void timed(Part part, const Call& call) const
    {
        const std::int64_t begin = now();
        call();
        m_spent[static_cast<std::size_t>(part)] += now() - begin;
    }

    const Kernels<float>& m_kernels;
    int m_threads;
    mutable std::array<std::int64_t, kParts.size()> m_spent{};
};

struct Size
{
    const char* model;
    int microBatches;             // of a step
    int microBatchSize, sequence; // 0: the model's
    int threads = 1;
    AttentionKind attention = AttentionKind::Standard;
};

void train(benchmark::State& state, const Size& size)
{
    ModelSpec spec = loadModel(size.model).value();
    spec.attention = size.attention;
    if (size.sequence > 0) {
        spec.microBatchSize = size.microBatchSize;
        spec.sequence = size.sequence;
    }
    const auto device = openCpuDevice(size.threads).value();
    const TimedKernels kernels(device->kernels(), size.threads);
    const Transformer<float> model(spec, 1, kernels);
    SequentialTrainer trainer(model, kernels, 1, Accumulate::Float);
    TokenBatches tokens(spec, size.microBatches);
    tokens.load(TextData::builtIn(1), 0);
    const auto step = [&] {
        benchmark::DoNotOptimize(trainer.accumulate(tokens, size.microBatches));
        trainer.update();
    };
    step();
    kernels.spent() = {};
    std::int64_t spent = 0;
    for (auto _ : state) {
        const std::int64_t begin = kernels.now();
        step();
        const std::int64_t took = kernels.now() - begin;
        spent += took;
        state.SetIterationTime(static_cast<double>(took) / 1e9);
    }
    const double seconds = static_cast<double>(spent) / 1e9;
    const auto steps = static_cast<double>(state.iterations());
    state.SetLabel(device->info().library);
    state.counters["tokens/s"] = steps * static_cast<double>(tokens.tokens()) / seconds;
    state.counters["GFLOP/s"] = steps * flopsPerIteration(spec, size.microBatches) / seconds / 1e9;
    double other = 1;
    for (std::size_t i = 0; i < kParts.size(); ++i) {
        const double share = static_cast<double>(kernels.spent()[i]) / static_cast<double>(spent);
        state.counters[std::string(kParts[i]) + "%"] = 100 * share;
        other -= share;
    }
    state.counters["model%"] = 100 * other; // copies of messages, clearing of gradients
}

// The roofline: the matrix products of one token's forward and backward, nothing else.
void roofline(benchmark::State& state, int threads)
{
    const auto device = openCpuDevice(threads).value();
    const TimedKernels kernels(device->kernels(), threads);
    constexpr int kRows = 1024, kIn = 768, kOut = 3072;
    std::vector<float> x(std::size_t{kRows} * kIn, 0.5F), w(std::size_t{kIn} * kOut, 0.25F),
        y(std::size_t{kRows} * kOut);
    std::int64_t spent = 0;
    for (auto _ : state) {
        const std::int64_t begin = kernels.now();
        kernels.matmul({.a = {x.data(), kRows, kIn},
                        .b = {w.data(), kIn, kOut},
                        .c = {y.data(), kRows, kOut}});
        const std::int64_t took = kernels.now() - begin;
        spent += took;
        state.SetIterationTime(static_cast<double>(took) / 1e9);
    }
    state.SetLabel(device->info().library);
    state.counters["GFLOP/s"] = 2.0 * kRows * kIn * kOut * static_cast<double>(state.iterations())
        / static_cast<double>(spent);
}

} // namespace

#define BS_TRAIN(name, ...)                                                                        \
    BENCHMARK_CAPTURE(train, name, Size{__VA_ARGS__})                                              \
        ->UseManualTime()                                                                          \
        ->Iterations(4)                                                                            \
        ->Unit(benchmark::kMillisecond)

BENCHMARK_CAPTURE(roofline, one_thread, 1)->UseManualTime()->Unit(benchmark::kMillisecond);
BS_TRAIN(small, "small", 8, 0, 0);
BS_TRAIN(small_flash, "small", 8, 0, 0, 1, AttentionKind::Flash);
BS_TRAIN(gpt2_T64, "gpt2-124m", 1, 4, 64);
BS_TRAIN(gpt2_T256, "gpt2-124m", 1, 4, 256);
BS_TRAIN(gpt2_T256_flash, "gpt2-124m", 1, 4, 256, 1, AttentionKind::Flash);
BENCHMARK_CAPTURE(roofline, two_threads, 2)->UseManualTime()->Unit(benchmark::kMillisecond);
BS_TRAIN(gpt2_T64_two_threads, "gpt2-124m", 1, 4, 64, 2);
BS_TRAIN(gpt2_T256_two_threads, "gpt2-124m", 1, 4, 256, 2);

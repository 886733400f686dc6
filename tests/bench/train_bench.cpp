// Plain training on the CPU beside its own roofline: the same matrix products alone, at the same
// places, alternating with the step. Tokens per second, the share of the step that is matrix
// products (those within attention included), and where the rest goes. One thread is timed by its
// own CPU clock, so that other load does not enter; several by the wall clock, which needs an idle
// machine. JSON for the study report: --benchmark_out=FILE --benchmark_out_format=json; the label
// names the BLAS and its kernels.

#include "engine/backend/cpu/cpu_device.h"
#include "engine/model/transformer.h"
#include "engine/verify/reference.h"
#include "tests/bench/timed_kernels.h"

#include <benchmark/benchmark.h>

#include <array>

using namespace engine;
using namespace bench;

namespace {

struct Size
{
    const char* model;
    int microBatches;             // of a step
    int microBatchSize, sequence; // 0: the model's
    int threads = 1;
    int layers = 0; // 0: the model's
};

ModelSpec specOf(const Size& size)
{
    ModelSpec spec = loadModel(size.model).value();
    if (size.sequence > 0) {
        spec.microBatchSize = size.microBatchSize;
        spec.sequence = size.sequence;
    }
    if (size.layers > 0)
        spec.layers = size.layers;
    return spec;
}

void train(benchmark::State& state, const Size& size)
{
    const ModelSpec spec = specOf(size);
    const auto device = openCpuDevice(size.threads).value();
    TimedKernels kernels(device->kernels(), size.threads);
    const Transformer<float> model(spec, 1, kernels);
    SequentialTrainer trainer(model, kernels, 1, Accumulate::Float);
    TokenBatches tokens(spec, size.microBatches);
    tokens.load(TextData::builtIn(1), 0);
    const auto step = [&] {
        benchmark::DoNotOptimize(trainer.accumulate(tokens, size.microBatches));
        trainer.update();
    };
    GemmList products;
    kernels.recorded = &products;
    step();
    kernels.recorded = nullptr;
    kernels.spent() = {};
    std::int64_t spent = 0, alone = 0, ofAttention = 0;
    const auto timed = [&](const auto& work) {
        const std::int64_t begin = kernels.now();
        work();
        return kernels.now() - begin;
    };
    for (auto _ : state) {
        const std::int64_t took = timed(step);
        spent += took;
        alone += timed([&] { products.run(device->kernels()); });
        ofAttention += timed([&] { products.runAttention(device->kernels()); });
        state.SetIterationTime(static_cast<double>(took) / 1e9);
    }
    const double seconds = static_cast<double>(spent) / 1e9;
    const auto steps = static_cast<double>(state.iterations());
    const double trained = steps * static_cast<double>(tokens.tokens());
    state.SetLabel(device->info().library);
    state.counters["tokens/s"] = trained / seconds;
    state.counters["roofline_tokens/s"] = trained / (static_cast<double>(alone) / 1e9);
    state.counters["GFLOP/s"] = steps * products.flops() / seconds / 1e9;
    state.counters["roofline_GFLOP/s"] = steps * products.flops() / static_cast<double>(alone);
    state.counters["of_roofline%"] = 100 * static_cast<double>(alone) / static_cast<double>(spent);
    const auto share = [&](std::int64_t part) {
        return 100 * static_cast<double>(part) / static_cast<double>(spent);
    };
    const std::int64_t matmul = kernels.spent()[static_cast<std::size_t>(Part::Matmul)];
    state.counters["gemm%"] = share(matmul + ofAttention);
    std::int64_t other = spent;
    for (std::size_t i = 0; i < kParts.size(); ++i) {
        state.counters[std::string(kParts[i]) + "%"] = share(kernels.spent()[i]);
        other -= kernels.spent()[i];
    }
    state.counters["model%"] = share(other); // copies of messages, clearing of gradients
}

} // namespace

#define BS_TRAIN(name, ...)                                                                        \
    BENCHMARK_CAPTURE(train, name, Size{__VA_ARGS__})                                              \
        ->UseManualTime()                                                                          \
        ->Iterations(4)                                                                            \
        ->Unit(benchmark::kMillisecond)

BS_TRAIN(small, "small", 8, 0, 0);
BS_TRAIN(gpt2_2_layers, "gpt2-124m", 1, 4, 64, 1, 2);
BS_TRAIN(gpt2_T64, "gpt2-124m", 1, 4, 64);
BS_TRAIN(gpt2_T256, "gpt2-124m", 1, 4, 256);
BS_TRAIN(small_two_threads, "small", 8, 0, 0, 2);
BS_TRAIN(gpt2_T64_two_threads, "gpt2-124m", 1, 4, 64, 2);
BS_TRAIN(gpt2_T256_two_threads, "gpt2-124m", 1, 4, 256, 2);

// Tokens per second of plain sequential training against the same work done op by op in emulation,
// and what the executor itself costs per op (on a model that computes next to nothing). Times are
// the thread's CPU clock, so that other load on the machine does not enter.

#include "engine/backend/cpu/cpu_device.h"
#include "engine/base/clock.h"
#include "engine/exec/emulation.h"
#include "engine/model/probe_model.h"
#include "engine/model/transformer.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "engine/verify/reference.h"

#include <benchmark/benchmark.h>

using namespace engine;

namespace {

constexpr int kMicroBatches = 8, kDevices = 4;

const CpuDevice& cpuDevice()
{
    static const auto device = openCpuDevice().value();
    return *device;
}

double perSecond(double count, std::int64_t nanoseconds)
{
    return count * 1e9 / static_cast<double>(nanoseconds);
}

void report(benchmark::State& state, const ModelSpec& spec, std::int64_t nanoseconds, int rounds)
{
    const double tokens = static_cast<double>(kMicroBatches) * spec.microBatchSize * spec.sequence;
    state.SetLabel(cpuDevice().info().library);
    state.counters["tokens/s"] = perSecond(tokens * rounds, nanoseconds);
    state.counters["GFLOP/s"]
        = perSecond(flopsPerIteration(spec, kMicroBatches) * rounds, nanoseconds) / 1e9;
}

void sequential(benchmark::State& state, const char* name)
{
    const ModelSpec spec = loadModel(name).value();
    const Transformer<float> model(spec, 1, cpuDevice().kernels());
    SequentialTrainer trainer(model, cpuDevice().kernels(), 1, Accumulate::Float);
    TokenBatches tokens(spec, kMicroBatches);
    tokens.load(TextData::builtIn(1), 0);
    std::int64_t spent = 0;
    int rounds = 0;
    for (auto _ : state) {
        const std::int64_t begin = threadCpuTime();
        benchmark::DoNotOptimize(trainer.accumulate(tokens, kMicroBatches));
        trainer.update();
        spent += threadCpuTime() - begin;
        ++rounds;
    }
    report(state, spec, spent, rounds);
}

Schedule schedule(const char* scheme, int microBatches)
{
    ScheduleRequest request;
    request.scheme = scheme;
    request.devices = kDevices;
    request.microBatches = microBatches;
    return lower(buildSchedule(request).value());
}

struct Spent
{
    std::int64_t inOps = 0, whole = 0; // ns of the thread's CPU clock
    std::size_t ops = 0;
    int rounds = 0;
};

Spent emulate(benchmark::State& state, Emulation& emulation, const ModelSpec& spec,
              int microBatches)
{
    TokenBatches tokens(spec, microBatches);
    tokens.load(TextData::builtIn(1), 0);
    const std::atomic<bool> cancel{false};
    Spent spent;
    for (auto _ : state) {
        const std::int64_t begin = threadCpuTime();
        if (!emulation.iterate(
                {}, tokens, [](auto, auto) {}, cancel))
            state.SkipWithError("the iteration failed");
        spent.whole += threadCpuTime() - begin;
        for (const OpTiming& timing : emulation.timings())
            spent.inOps += timing.opTime;
        spent.ops += emulation.timings().size();
        ++spent.rounds;
    }
    return spent;
}

// As in a release build.
Pipeline::Setup unpoisoned(const Schedule& lowered, const PipelineModel<float>& model)
{
    return {
        .lowered = lowered, .model = model, .kernels = cpuDevice().kernels(), .poison = Poison::No};
}

void reportOverhead(benchmark::State& state, const Spent& spent)
{
    const auto ops = static_cast<double>(spent.ops);
    const auto overhead = static_cast<double>(spent.whole - spent.inOps);
    state.counters["ops"] = ops / spent.rounds;
    state.counters["overhead_us/op"] = overhead / 1e3 / ops;
    state.counters["overhead%"] = 100 * overhead / static_cast<double>(spent.inOps);
}

void emulated(benchmark::State& state, const char* name, const char* scheme)
{
    const ModelSpec spec = loadModel(name).value();
    Run run;
    run.schedule = schedule(scheme, kMicroBatches);
    const Transformer<float> model(spec, run.schedule.shape.stages, cpuDevice().kernels());
    Emulation emulation({unpoisoned(run.schedule, model), {}}, run);
    const Spent spent = emulate(state, emulation, spec, kMicroBatches);
    report(state, spec, spent.inOps, spent.rounds);
    reportOverhead(state, spent);
}

// One number a stage: what is left is planning the order, reading clocks, buffers, messages,
// placing the iteration and its memory.
void executorOverhead(benchmark::State& state, const char* scheme)
{
    const auto microBatches = static_cast<int>(state.range(0));
    Run run;
    run.schedule = schedule(scheme, microBatches);
    const ProbeModel model(run.schedule.shape.stages, {1, 1}, cpuDevice().kernels());
    ModelSpec oneToken;
    oneToken.microBatchSize = oneToken.sequence = 1;
    Emulation emulation({unpoisoned(run.schedule, model), {}}, run);
    reportOverhead(state, emulate(state, emulation, oneToken, microBatches));
}

} // namespace

BENCHMARK_CAPTURE(sequential, tiny, "tiny")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(emulated, tiny_1f1b, "tiny", "1f1b")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(emulated, tiny_bitpipe, "tiny", "bitpipe")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sequential, small, "small")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(emulated, small_1f1b, "small", "1f1b")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(emulated, small_bitpipe, "small", "bitpipe")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(executorOverhead, 1f1b, "1f1b")->Arg(8)->Arg(128)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(executorOverhead, bitpipe, "bitpipe")
    ->Arg(8)
    ->Arg(128)
    ->Unit(benchmark::kMillisecond);

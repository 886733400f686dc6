#include "engine/schedule/check/validate.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "engine/sim/simulate.h"

#include <benchmark/benchmark.h>

// Ops per second of what a slider in the window asks for: build, lower, price, simulate. An op is a
// row of the lowered schedule (compute, transfer, all-reduce, step).
namespace {

engine::Schedule build(const char* scheme, const benchmark::State& state)
{
    engine::ScheduleRequest request;
    request.scheme = scheme;
    request.devices = static_cast<int>(state.range(0));
    request.microBatches = static_cast<int>(state.range(1));
    return engine::buildSchedule(request).value();
}

void report(benchmark::State& state, std::size_t ops)
{
    state.counters["ops"] = static_cast<double>(ops);
    state.counters["ops/s"] = benchmark::Counter(static_cast<double>(ops),
                                                 benchmark::Counter::kIsIterationInvariantRate);
}

// What `bscope simulate` does without a picture or a file: no transfers, no spans.
void generateAndSummarize(benchmark::State& state, const char* scheme)
{
    std::size_t ops = 0;
    for (auto _ : state) {
        const engine::Schedule schedule = build(scheme, state);
        const auto prices = engine::unitPrices(schedule.shape, {});
        benchmark::DoNotOptimize(engine::summarize(schedule, *prices));
        ops = engine::opCount(schedule);
    }
    report(state, ops);
}

void generate(benchmark::State& state, const char* scheme)
{
    std::size_t ops = 0;
    for (auto _ : state) {
        const engine::Schedule schedule = build(scheme, state);
        benchmark::DoNotOptimize(schedule.program.data());
        ops = engine::opCount(schedule);
    }
    report(state, ops);
}

// With transfers as ops and a span for each op: what a timeline is drawn from.
void lowerAndSimulate(benchmark::State& state, const char* scheme)
{
    std::size_t ops = 0;
    for (auto _ : state) {
        const engine::Schedule lowered = engine::lower(build(scheme, state));
        const auto costs = engine::unitOpCosts(lowered, {});
        benchmark::DoNotOptimize(engine::simulate(lowered, *costs));
        ops = engine::opCount(lowered);
    }
    report(state, ops);
}

void lowerAndValidate(benchmark::State& state, const char* scheme)
{
    const engine::Schedule lowered = engine::lower(build(scheme, state));
    for (auto _ : state)
        benchmark::DoNotOptimize(engine::validate(lowered));
    report(state, engine::opCount(lowered));
}

void sizes(benchmark::internal::Benchmark* bench)
{
    for (const int devices : {64, 256, 1024})
        bench->Args({devices, 4 * devices});
    bench->Unit(benchmark::kMillisecond);
}

void smallSizes(benchmark::internal::Benchmark* bench)
{
    bench->Args({4, 8})->Args({64, 256})->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(generateAndSummarize, interleaved, "interleaved-1f1b")->Apply(sizes);
BENCHMARK_CAPTURE(generateAndSummarize, bitpipe, "bitpipe")->Apply(sizes);
BENCHMARK_CAPTURE(generateAndSummarize, zb_v, "zb-v")->Apply(sizes);
BENCHMARK_CAPTURE(generate, interleaved, "interleaved-1f1b")->Apply(sizes);
BENCHMARK_CAPTURE(generate, bitpipe, "bitpipe")->Apply(sizes);
BENCHMARK_CAPTURE(generate, zb_v, "zb-v")->Apply(sizes);
BENCHMARK_CAPTURE(lowerAndSimulate, bitpipe, "bitpipe")->Apply(smallSizes);
BENCHMARK_CAPTURE(lowerAndValidate, bitpipe, "bitpipe")->Apply(smallSizes);

// Searched and squeezed orders; the published generators take 0.7 to 53 seconds at (64, 256).
void searchedSizes(benchmark::internal::Benchmark* bench)
{
    for (const auto& [devices, microBatches] :
         {std::pair{16, 64}, std::pair{64, 256}, std::pair{256, 1024}, std::pair{1024, 2048}})
        bench->Args({devices, microBatches});
    bench->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(generate, v_half, "v-half")->Apply(searchedSizes);
BENCHMARK_CAPTURE(generate, v_min, "v-min")->Apply(searchedSizes);
BENCHMARK_CAPTURE(generate, v_1f1b, "v-1f1b")->Apply(searchedSizes);
BENCHMARK_CAPTURE(generate, zb_1p, "zb-1p")->Apply(searchedSizes);
BENCHMARK_CAPTURE(generate, zb_2p, "zb-2p")->Apply(searchedSizes);

} // namespace

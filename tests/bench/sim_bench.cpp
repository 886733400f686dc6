#include "engine/schedule/passes.h"
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

void generateAndSimulate(benchmark::State& state, const char* scheme)
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

// The order alone, without transfers.
void buildOnly(benchmark::State& state, const char* scheme)
{
    std::size_t ops = 0;
    for (auto _ : state)
        ops = engine::opCount(build(scheme, state));
    report(state, ops);
}

void generate(benchmark::State& state, const char* scheme)
{
    std::size_t ops = 0;
    for (auto _ : state) {
        const engine::Schedule lowered = engine::lower(build(scheme, state));
        benchmark::DoNotOptimize(lowered.program.data());
        ops = engine::opCount(lowered);
    }
    report(state, ops);
}

void simulate(benchmark::State& state, const char* scheme)
{
    const engine::Schedule lowered = engine::lower(build(scheme, state));
    const auto costs = engine::unitOpCosts(lowered, {});
    for (auto _ : state)
        benchmark::DoNotOptimize(engine::simulate(lowered, *costs));
    report(state, engine::opCount(lowered));
}

void sizes(benchmark::internal::Benchmark* bench)
{
    for (const auto& [devices, microBatches] :
         {std::pair{4, 8}, std::pair{16, 64}, std::pair{64, 512}, std::pair{512, 1024}})
        bench->Args({devices, microBatches});
    bench->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(generateAndSimulate, 1f1b, "1f1b")->Apply(sizes);
BENCHMARK_CAPTURE(generateAndSimulate, bitpipe, "bitpipe")->Apply(sizes);
BENCHMARK_CAPTURE(generate, bitpipe, "bitpipe")->Apply(sizes);
BENCHMARK_CAPTURE(simulate, bitpipe, "bitpipe")->Apply(sizes);

// Searched and squeezed orders; the published generators take 0.7 to 53 seconds at (64, 256).
void searchedSizes(benchmark::internal::Benchmark* bench)
{
    for (const auto& [devices, microBatches] :
         {std::pair{16, 64}, std::pair{64, 256}, std::pair{256, 1024}, std::pair{1024, 2048}})
        bench->Args({devices, microBatches});
    bench->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(buildOnly, v_half, "v-half")->Apply(searchedSizes);
BENCHMARK_CAPTURE(buildOnly, v_min, "v-min")->Apply(searchedSizes);
BENCHMARK_CAPTURE(buildOnly, v_1f1b, "v-1f1b")->Apply(searchedSizes);
BENCHMARK_CAPTURE(buildOnly, zb_1p, "zb-1p")->Apply(searchedSizes);
BENCHMARK_CAPTURE(buildOnly, zb_2p, "zb-2p")->Apply(searchedSizes);

} // namespace
